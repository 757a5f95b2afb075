import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Client } from '@elastic/elasticsearch';
import { expect } from 'chai';
import { checkGeneration } from '../../../services/indexer/search/checkGeneration.js';
import { dropRetained } from '../../../services/indexer/search/dropRetained.js';
import {
  createGeneration,
  dropGenerations,
  liveIndex,
  swapGenerations,
} from '../../../services/indexer/search/generations.js';
import { takeRebuild } from '../../../services/indexer/search/rebuildRecord.js';
import {
  reindexSearch,
  ROLLBACK_WINDOW_MS,
} from '../../../services/indexer/search/reindexSearch.js';
import type { FaultPoint } from '../../../shared/platform/faultPoint.js';
import { requestSearchRebuild } from '../../../shared/jobs/requestSearchRebuild.js';
import { enterRebuild, findRebuild } from '../../../shared/store/searchGenerations.js';
import { stateOf } from '../../../shared/store/state.js';
import { markId, MOST_TRIES } from '../../../shared/store/work.js';
import { documentId, searchAlias } from '../../../shared/store/searchIndex.js';
import { createSearchWriter } from '../../../services/indexer/stores/searchWriter.js';
import { claimMarks, setMarks } from '../../../services/indexer/work/claims.js';
import { runClaimed } from '../../../services/indexer/work/runMarks.js';
import { until } from '../../support/apiServer.js';
import { atOtherTime } from '../../support/atOtherTime.js';
import { build, endLeases, stalled } from '../../support/indexerDeps.js';
import { poisoned } from '../../support/poison.js';
import {
  enterLostRebuild,
  rebuildArchive,
  type RebuildArchive,
} from '../../support/rebuildArchive.js';
import { bringToRest, verifyNow } from '../../support/verifiedArchive.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

describe('reindexSearch', () => {
  const { stores, deps } = indexerSuite('renewed', { otherProcesses: true });
  let write: RebuildArchive['write'];
  let writeThreads: RebuildArchive['writeThreads'];
  let rebuild: RebuildArchive['rebuild'];
  let search: RebuildArchive['search'];

  beforeEach(() => {
    ({ write, writeThreads, search, rebuild } = rebuildArchive(deps));
  });

  const indexes = async () =>
    Object.keys(
      await stores.elasticsearch.indices.get({ index: `${searchAlias(deps.namespace)}-*` }),
    ).map((name) => name.slice(-6));
  const cutOff = () => Promise.reject(new Error('cut off'));
  /** A client on which some calls about indexes behave differently. */
  const withIndices = (calls: Record<string, unknown>): Client => {
    const indices: unknown = Object.assign(Object.create(stores.elasticsearch.indices), calls);
    return Object.create(stores.elasticsearch, { indices: { value: indices } }) as Client;
  };
  const deleteMessage = async (threadId: string, _id: string) => {
    await deps.collections.messages.updateOne({ _id }, { $set: { deleted: true } });
    await setMarks(deps, 'thread', [threadId]);
    await build(deps, threadId);
  };

  it('makes a new index where the old one was lost', async () => {
    await writeThreads(3);
    const lost = (await liveIndex(deps))!;
    await stores.elasticsearch.indices.delete({ index: lost });
    expect(await rebuild()).to.include({ state: 'done', threads: 3, documents: 9 });
    await stores.refreshSearch();
    expect(await search('anchor of')).to.include({ threadCount: 3, messageCount: 6 });
  });

  it('makes a new index where the list item of a thread is damaged', async () => {
    const [thread] = await writeThreads(2);
    const { threadItems } = deps.collections;
    await threadItems.updateOne({ _id: thread!.threadId }, { $unset: { facts: '' } });
    expect(await rebuild()).to.include({ state: 'done', threads: 2, documents: 6 });
  });

  for (const point of [
    'rebuildCreated',
    'rebuildScanning',
    'rebuildChecked',
    'rebuildSwapped',
  ] satisfies FaultPoint[]) {
    it(`continues after its process was killed: ${point}`, async () => {
      const threads = await writeThreads(36);
      const { id: rebuildId } = await enterRebuild(deps.collections);
      await killAt(point, rebuildId, stores.mongodbUrl);
      const { threadId, messageIds } = threads[5]!;
      await write(threadId, messageIds, 'meanwhile');

      const outcome = await reindexSearch(deps, { rebuildId });
      expect(outcome).to.include({ state: 'done', threads: 36, documents: 108 });
      await stores.refreshSearch();
      expect(await search('anchor of')).to.include({ threadCount: 36, messageCount: 72 });
      expect(await search('meanwhile')).to.include({ messageCount: 2 });
      expect((await liveIndex(deps))!.slice(-6)).to.equal('000002');
      expect(await indexes()).to.deep.equal(['000001', '000002']);
      await bringToRest(deps, stores);
      expect(await verifyNow(deps)).to.deep.include({ differences: [], clean: true });
    });
  }

  it('shows at once what it has written, even of threads that are not listed yet', async () => {
    const [thread] = await writeThreads(1);
    await deps.collections.threadItems.deleteMany({});
    await rebuild();
    expect(await search('first')).to.include({ messageCount: 2 });
    await write(thread!.threadId, thread!.messageIds, 'later');
    await until(async () => (await search('later')).messageCount === 2);
  });

  it('never uses the number of an index again', async () => {
    await writeThreads(1);
    const { id: rebuildId } = await enterRebuild(deps.collections);
    const failing = { ...deps, elasticsearch: withIndices({ create: cutOff }) };
    expect(await rejectionOf(reindexSearch(failing, { rebuildId }))).to.include('cut off');
    expect(await reindexSearch(deps, { rebuildId })).to.include({ state: 'done' });
    expect(await indexes()).to.deep.equal(['000001', '000003']);
  });

  it('drops nothing that another process has built meanwhile, even where the old index was lost', async () => {
    await writeThreads(2);
    await stores.elasticsearch.indices.delete({ index: (await liveIndex(deps))! });
    const { id: rebuildId } = await enterRebuild(deps.collections);
    const elasticsearch = withIndices({
      // The process has seen that there is no index. Meanwhile, another one takes the rebuild over and completes it.
      async get(request: { index: string }) {
        await reindexSearch(deps, { rebuildId });
        return stores.elasticsearch.indices.get(request);
      },
    });
    const late = await reindexSearch({ ...deps, elasticsearch }, { rebuildId });
    expect(late).to.deep.equal({ state: 'replaced' });
    expect(await search('anchor of')).to.include({ threadCount: 2, messageCount: 4 });
  });

  it('blocks no write where the new index cannot be created', async () => {
    const [thread] = await writeThreads(2);
    await rebuild();
    const { id: rebuildId } = await enterRebuild(deps.collections);
    // By then, the index is dropped that the first rebuild replaced and that writes went to until now.
    const failing = { ...deps, elasticsearch: withIndices({ create: cutOff }) };
    expect(await rejectionOf(reindexSearch(failing, { rebuildId }))).to.include('cut off');
    await write(thread!.threadId, thread!.messageIds, 'later');
    await stores.refreshSearch();
    expect(await search('later')).to.include({ messageCount: 2 });
  });

  it('shows no older text after a newer one that was written only to the old index', async () => {
    const { threadId } = (await writeThreads(2))[0]!;
    const { messages, work } = deps.collections;
    const old = { namespace: deps.namespace, readTargets: () => Promise.resolve([]) };
    const writer = createSearchWriter(deps.elasticsearch, old, () => Promise.resolve());
    const half = { ...deps, search: writer, commit: Object.assign(cutOff, { first: cutOff }) };
    const change = async () => {
      await messages.updateMany({ threadId }, { $set: { content: 'later' } });
      await setMarks(deps, 'thread', [threadId]);
      const claimed = await claimMarks(deps, await work.find({ subject: threadId }).toArray());
      expect(await rejectionOf(runClaimed(half, 'thread', claimed))).to.include('cut off');
    };
    let changing: Promise<void> | undefined;
    const elasticsearch = withIndices({
      // The new index is filled, and is about to be compared.
      async refresh(request: { index: string }) {
        await (changing ??= change());
        return stores.elasticsearch.indices.refresh(request);
      },
    });
    const { id: rebuildId } = await enterRebuild(deps.collections);
    await reindexSearch({ ...deps, elasticsearch }, { rebuildId });
    await stores.refreshSearch();
    expect(await search('later')).to.include({ messageCount: 2 });
  });

  it('removes what a rebuild has left that never came back', async () => {
    await writeThreads(3);
    const live = (await liveIndex(deps))!;
    await createGeneration(deps, live, 2);
    await rebuild();
    expect(await indexes()).to.deep.equal(['000001', '000003']);
  });

  it('keeps the old index up to date for the rollback window, then drops it', async () => {
    const [thread] = await writeThreads(2);
    const old = (await liveIndex(deps))!;
    await rebuild();
    await write(thread!.threadId, thread!.messageIds, 'later');
    await stores.elasticsearch.indices.refresh({ index: old });
    const { count } = await stores.elasticsearch.count({
      index: old,
      query: { match: { content: 'later' } },
    });
    expect(count).to.equal(2);

    await dropRetained(deps);
    expect(await indexes()).to.have.length(2);
    await dropRetained(deps, new Date(Date.now() + ROLLBACK_WINDOW_MS + 1));
    expect(await indexes()).to.deep.equal(['000002']);
    await write(thread!.threadId, thread!.messageIds, 'last');
    await stores.refreshSearch();
    expect(await search('last')).to.include({ messageCount: 2 });
  });

  it('drops the old index where a clock that was ahead has set the end of the window', async () => {
    await writeThreads(1);
    await atOtherTime(400 * 86_400_000, rebuild);
    expect(await indexes()).to.have.length(2);
    await dropRetained(deps);
    expect(await indexes()).to.deep.equal(['000002']);
  });

  it('drops the old index even if its first attempt was cut off', async () => {
    await writeThreads(2);
    await rebuild();
    const elasticsearch = withIndices({ updateAliases: cutOff });
    const later = new Date(Date.now() + ROLLBACK_WINDOW_MS + 1);
    const first = dropRetained({ ...deps, elasticsearch }, later);
    expect(await rejectionOf(first)).to.include('cut off');
    expect(await indexes()).to.have.length(2);
    await dropRetained(deps, later);
    expect(await indexes()).to.deep.equal(['000002']);
    const { retained, targets } = (await stateOf(deps.collections.state, 'search').findOne({
      _id: 'search',
    }))!;
    expect([retained, targets]).to.deep.equal([undefined, []]);
  });

  /** Replaces an index by one of its name whose data are on no node. */
  async function loseData(index: string, aliases: Record<string, object> = {}): Promise<void> {
    await deps.elasticsearch.indices.delete({ index });
    await deps.elasticsearch.indices.create({
      index,
      aliases,
      settings: { 'index.routing.allocation.require._name': 'none has this name' },
      wait_for_active_shards: 0,
    });
  }

  it('drops the old index at once where its data are lost, so that no write waits for it', async () => {
    const [thread] = await writeThreads(2);
    const old = (await liveIndex(deps))!;
    await rebuild();
    await loseData(old);
    await dropRetained(deps);
    expect(await indexes()).to.deep.equal(['000002']);
    await write(thread!.threadId, thread!.messageIds, 'last');
    await stores.refreshSearch();
    expect(await search('last')).to.include({ messageCount: 2 });
  });

  it('makes a new index where the data of the old one are lost', async () => {
    const [thread] = await writeThreads(2);
    const old = (await liveIndex(deps))!;
    await loseData(old, { [searchAlias(deps.namespace)]: { is_write_index: true } });
    expect(await rebuild()).to.include({ state: 'done', threads: 2 });
    await dropRetained(deps);
    expect(await indexes()).to.deep.equal(['000002']);
    await write(thread!.threadId, thread!.messageIds, 'last');
    await stores.refreshSearch();
    expect(await search('last')).to.include({ messageCount: 2 });
  });

  it('keeps the old index while the new one lacks its data, too, as when a node is away', async () => {
    await writeThreads(2);
    const old = (await liveIndex(deps))!;
    await rebuild();
    await loseData(old);
    await loseData((await liveIndex(deps))!, { [searchAlias(deps.namespace)]: {} });
    await dropRetained(deps);
    expect(await indexes()).to.have.length(2);
  });

  it('keeps the old index where it was put back behind the alias', async () => {
    await writeThreads(2);
    const old = (await liveIndex(deps))!;
    await rebuild();
    await swapGenerations(deps, await liveIndex(deps), old);
    await dropRetained(deps, new Date(Date.now() + ROLLBACK_WINDOW_MS + 1));
    expect(await liveIndex(deps)).to.equal(old);
    expect(await indexes()).to.have.length(2);
  });

  it('keeps the old index where it is put back just when it is to be dropped', async () => {
    await writeThreads(2);
    const old = (await liveIndex(deps))!;
    await rebuild();
    const live = await liveIndex(deps);
    await swapGenerations(deps, live, old);
    expect(await rejectionOf(dropGenerations(deps, live, [old]))).to.include('aliases_not_found');
    expect(await liveIndex(deps)).to.equal(old);
  });

  it('drops no index, and changes no targets, while another rebuild runs', async () => {
    await writeThreads(2);
    await rebuild();
    const store = stateOf(deps.collections.state, 'search');
    const { id: rebuildId } = await enterRebuild(deps.collections);
    const record = await takeRebuild(store, rebuildId);
    // From now on, it does not show by itself that it is alive.
    record!.release();
    const before = await store.findOne({ _id: 'search' });
    await dropRetained(deps, new Date(Date.now() + ROLLBACK_WINDOW_MS + 1));
    expect(await store.findOne({ _id: 'search' })).to.deep.equal(before);
    expect(await indexes()).to.have.length(2);
  });

  it('stops where another process has taken it over', async () => {
    const store = stateOf(deps.collections.state, 'search');
    const { id: rebuildId } = await enterRebuild(deps.collections);
    const [late, now] = [await takeRebuild(store, rebuildId), await takeRebuild(store, rebuildId)];
    await now!.save({ cursor: '2' });
    expect(await rejectionOf(late!.save({ cursor: '1' }))).to.include('taken over');
    for (const record of [late, now]) record!.release();
    expect(await findRebuild(deps.collections, rebuildId)).to.include({ cursor: '2' });
    expect(await reindexSearch(deps, { rebuildId })).to.include({ state: 'done' });
  });

  it('completes a failure that its process had begun to record when it died', async () => {
    await writeThreads(2);
    const live = (await liveIndex(deps))!;
    const to = await createGeneration(deps, live, 2);
    const { id: rebuildId } = await enterRebuild(deps.collections);
    const failed = { 'rebuild.state': 'failed', 'rebuild.error': 'It lacks a thread' } as const;
    await stateOf(deps.collections.state, 'search').updateOne(
      { _id: 'search' },
      { $set: { ...failed, 'rebuild.from': live, 'rebuild.to': to } },
    );
    for (const time of ['first', 'second']) {
      const failure = await rejectionOf(reindexSearch(deps, { rebuildId }));
      expect(failure, time).to.include('It lacks a thread');
      expect(await indexes(), time).to.deep.equal(['000001']);
    }
  });

  it('brings back nothing deleted, however late an older write comes', async () => {
    const [thread] = await writeThreads(2);
    const { threadId, messageIds } = thread!;
    await deleteMessage(threadId, messageIds[1]!);
    await rebuild();
    await stores.refreshSearch();
    expect(await search(`of ${messageIds[1]}`)).to.include({ total: 0 });
    const tombstone = await stores.elasticsearch.get<{ kind: string }>({
      index: searchAlias(deps.namespace),
      id: documentId('message', messageIds[1]!),
    });
    expect(tombstone._source?.kind).to.equal('tombstone');
  });

  it('brings back nothing of a quarantined thread, however late an older write comes', async () => {
    const [thread] = await writeThreads(2);
    const { threadId, messageIds } = thread!;
    const { messages, work } = deps.collections;
    const _id = markId('thread', threadId);
    await setMarks(deps, 'thread', [threadId], { whole: true });
    const claimed = await claimMarks(deps, await work.find({ _id }).toArray());
    const late = stalled(deps, async () => {
      await messages.updateOne({ _id: messageIds[1]! }, { $set: { deleted: true } });
      await setMarks(deps, 'thread', [threadId], { causes: [`delete-message/${messageIds[1]}`] });
      await work.updateOne({ _id }, { $set: { tries: MOST_TRIES - 1 } });
      await endLeases(deps, threadId);
      const failing = poisoned(deps, threadId, () => {
        throw new Error('It breaks');
      });
      expect(await build(failing, threadId)).to.equal(false);
      await rebuild();
    });
    await runClaimed(late, 'thread', claimed);
    await stores.refreshSearch();
    expect(await search(`of ${messageIds[1]}`)).to.include({ total: 0 });
    expect(await search(`of ${messageIds[0]}`)).to.include({ total: 0 });
    await setMarks(deps, 'thread', [threadId]);
    expect(await build(deps, threadId)).to.equal(true);
    await stores.refreshSearch();
    expect(await search(`of ${messageIds[1]}`)).to.include({ total: 0 });
    expect(await search(`of ${messageIds[0]}`)).to.include({ messageCount: 1 });
  });

  it('refuses a second rebuild while one is queued or running, and accepts another afterwards', async () => {
    const added: string[] = [];
    const producer = {
      add: (_name: string, payload: object) =>
        Promise.resolve(String(added.push(JSON.stringify(payload)))),
    };
    const { rebuildId } = await requestSearchRebuild(deps.collections, producer);
    const second = await requestSearchRebuild(deps.collections, producer).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(second).to.match(/^RebuildRunning: A rebuild of the search index is queued since 20/);
    expect(added).to.have.length(1);
    await reindexSearch(deps, { rebuildId });
    expect(await findRebuild(deps.collections, rebuildId)).to.include({ state: 'done' });
    await requestSearchRebuild(deps.collections, producer);
    expect(await reindexSearch(deps, { rebuildId })).to.deep.equal({ state: 'replaced' });
  });

  it('counts as lost by the clock of MongoDB, not by that of its own or another process', async () => {
    const isLost = () =>
      enterRebuild(deps.collections).then(
        () => true,
        () => false,
      );
    const store = stateOf(deps.collections.state, 'search');
    await atOtherTime(-3_600_000, async () => {
      const { id } = await enterRebuild(deps.collections);
      expect(await isLost(), 'queued').to.equal(false);
      const record = await takeRebuild(store, id);
      await record!.save({ cursor: '1' });
      record!.release();
    });
    expect(await isLost(), 'running').to.equal(false);
    expect(await atOtherTime(3_600_000, isLost), 'asked an hour ahead').to.equal(false);
  });

  it('frees the place of a rebuild whose job was lost', async () => {
    const lost = await enterLostRebuild(deps.collections, 3_600_000);
    const { id: next } = await enterRebuild(deps.collections);
    expect(await reindexSearch(deps, { rebuildId: lost })).to.deep.equal({ state: 'replaced' });
    expect(await reindexSearch(deps, { rebuildId: next })).to.include({ state: 'done' });
  });

  it('goes on with a lost rebuild where Redis is away when another one is asked for', async () => {
    await writeThreads(2);
    const lost = await enterLostRebuild(deps.collections, 3_600_000);
    const store = stateOf(deps.collections.state, 'search');
    const created = await createGeneration(deps, await liveIndex(deps), 2);
    const live = (await liveIndex(deps))!;
    const begun = { 'rebuild.from': live, 'rebuild.to': created, targets: [live, created] };
    await store.updateOne({ _id: 'search' }, { $set: begun });
    const producer = { add: () => Promise.reject(new Error('Redis is away')) };
    const refused = requestSearchRebuild(deps.collections, producer);
    expect(await rejectionOf(refused)).to.equal('Redis is away');
    // The indexer files the job of this one again.
    expect(await findRebuild(deps.collections, lost)).to.include({ state: 'queued' });
    expect(await reindexSearch(deps, { rebuildId: lost })).to.include({ index: created });
  });

  it('reports a new index that lacks documents, but for threads of which it refuses some', async () => {
    const [refused, lacking] = await writeThreads(2);
    const index = await createGeneration(deps, await liveIndex(deps), 2);
    const nothing = { write: () => Promise.resolve(), remove: () => Promise.resolve() };
    const check = checkGeneration(deps, index, nothing, new Set([refused!.threadId]));
    expect(await rejectionOf(check)).to.include(
      `1 threads differ in the new search index, such as ${lacking!.threadId}`,
    );
  });

  it('leaves a thread to its build that is marked, or was built since it was compared', async () => {
    const [marked, built] = await writeThreads(2);
    const index = await createGeneration(deps, await liveIndex(deps), 2);
    await setMarks(deps, 'thread', [marked!.threadId]);
    let isBuilt = false;
    const lacking = {
      async write() {
        if (isBuilt) return;
        isBuilt = true;
        await write(built!.threadId, built!.messageIds, 'meanwhile');
      },
      remove: () => Promise.resolve(),
    };
    expect(await checkGeneration(deps, index, lacking, new Set())).to.equal(2);
  });
});

async function killAt(point: FaultPoint, rebuildId: string, mongodbUrl: string): Promise<void> {
  const script = fileURLToPath(new URL('../../support/rebuildProcess.js', import.meta.url));
  const child = spawn(process.execPath, [script, rebuildId], {
    env: { ...process.env, MONGODB_URL: mongodbUrl, FAULT_POINTS: `${point}:1` },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(signal).to.equal('SIGKILL');
}
