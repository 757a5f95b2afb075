import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { searchArchive } from '../../../services/api/search/searchArchive.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { projectThread } from '../../../services/indexer/project/projectThread.js';
import { raiseRevision } from '../../../services/indexer/records/threadRevision.js';
import { checkGeneration } from '../../../services/indexer/search/checkGeneration.js';
import { dropRetained } from '../../../services/indexer/search/dropRetained.js';
import { createGeneration, liveIndex } from '../../../services/indexer/search/generations.js';
import {
  reindexSearch,
  ROLLBACK_WINDOW_MS,
} from '../../../services/indexer/search/reindexSearch.js';
import type { FaultPoint } from '../../../shared/platform/faultPoint.js';
import { requestSearchRebuild } from '../../../shared/jobs/requestSearchRebuild.js';
import { enterRebuild, findRebuild } from '../../../shared/store/searchGenerations.js';
import { documentId, searchAlias } from '../../../shared/store/searchIndex.js';
import { aSourceMessage, aSourceThread, anId } from '../../support/factories.js';
import { indexerDeps, record } from '../../support/indexerDeps.js';
import { searchParams } from '../../support/searchDocuments.js';
import { openStores, type TestStores } from '../../support/stores.js';

describe('reindexSearch', () => {
  let stores: TestStores;
  let deps: IndexerDeps;

  beforeEach(async () => {
    stores = await openStores();
    deps = indexerDeps(stores);
  });
  afterEach(() => stores.close());

  const server = anId();
  const channel = anId();
  let asOf = 1_000;

  /** Records a thread (again) with some contents, later than before, and builds it. */
  const write = async (threadId: string, messageIds: string[], word: string): Promise<void> => {
    asOf += 1;
    const source = aSourceThread({
      asOf,
      server: { _id: server },
      channel: { _id: channel },
      thread: { _id: threadId, title: `Anchor ${threadId}` },
    });
    const messages = messageIds.map((_id) =>
      aSourceMessage({ _id, threadId, content: `${word} of ${_id}`, asOf }),
    );
    await record(deps, source, messages);
    await projectThread(deps, threadId);
  };
  const writeThreads = async (count: number, messages = 2) => {
    const threads = Array.from({ length: count }, () => ({
      threadId: anId(),
      messageIds: Array.from({ length: messages }, anId),
    }));
    for (let start = 0; start < count; start += 40) {
      const some = threads.slice(start, start + 40);
      await Promise.all(some.map((one) => write(one.threadId, one.messageIds, 'first')));
    }
    return threads;
  };
  const rebuild = async () =>
    reindexSearch(deps, { rebuildId: await enterRebuild(deps.collections) });
  const search = (q: string) => searchArchive(deps, searchParams(q));
  const indexes = async () =>
    Object.keys(
      await stores.elasticsearch.indices.get({ index: `${searchAlias(deps.namespace)}-*` }),
    ).map((name) => name.slice(-6));
  const deleteMessage = async (threadId: string, _id: string) => {
    await raiseRevision(deps.collections.threads, threadId);
    await deps.collections.messages.updateOne({ _id }, { $set: { deleted: true } });
    await raiseRevision(deps.collections.threads, threadId);
    await projectThread(deps, threadId);
  };

  it('never shows a reader an error, an empty index or a lost document under constant writes', async () => {
    const threads = await writeThreads(120, 14);
    await stores.refreshSearch();
    const stop = new AbortController();
    let documents = 0;
    const latest = new Map<string, string>();
    const writer = async (part: number): Promise<void> => {
      for (let turn = 0; !stop.signal.aborted; turn += 1) {
        const { threadId, messageIds } = threads[(turn * 8 + part) % threads.length]!;
        await write(threadId, messageIds, `turn${turn}`);
        latest.set(threadId, `turn${turn}`);
        documents += 15;
        await pause(10);
      }
    };
    const seen: number[] = [];
    const reader = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        const { threadCount, messageCount } = await search('anchor of');
        seen.push(threadCount, messageCount / 14);
        await pause(50);
      }
    };
    const began = performance.now();
    const loops = Array.from({ length: 8 }, (_, part) => writer(part));
    const reading = reader();
    for (let generation = 2; generation <= 4; generation += 1) {
      expect(await rebuild()).to.include({ state: 'done', threads: 120 });
      await pause(500);
    }
    stop.abort();
    await Promise.all([...loops, reading]);
    const seconds = (performance.now() - began) / 1000;

    // Well above 200 a second where nothing else runs.
    expect(documents / seconds).to.be.above(100);
    expect(seen.length).to.be.above(20);
    expect([...new Set(seen)]).to.deep.equal([120]);
    await stores.refreshSearch();
    for (const [threadId, word] of latest) {
      const { results } = await search(`${word} ${threadId}`);
      expect(results.messages, threadId).to.have.length(14);
    }
  });

  for (const point of [
    'rebuildCreated',
    'rebuildScanning',
    'rebuildChecked',
    'rebuildSwapped',
  ] satisfies FaultPoint[]) {
    it(`goes on after its process was killed: ${point}`, async () => {
      const threads = await writeThreads(70);
      const rebuildId = await enterRebuild(deps.collections);
      await killAt(point, rebuildId, stores.mongodbUrl);
      const { threadId, messageIds } = threads[5]!;
      await write(threadId, messageIds, 'meanwhile');

      const outcome = await reindexSearch(deps, { rebuildId });
      expect(outcome).to.include({ state: 'done', threads: 70, documents: 210 });
      await stores.refreshSearch();
      expect(await search('anchor of')).to.include({ threadCount: 70, messageCount: 140 });
      expect(await search('meanwhile')).to.include({ messageCount: 2 });
      expect((await liveIndex(deps)).slice(-6)).to.equal('000002');
      expect(await indexes()).to.deep.equal(['000001', '000002']);
    });
  }

  it('removes what a rebuild that never came back left', async () => {
    await writeThreads(3);
    const live = await liveIndex(deps);
    await createGeneration(deps, live);
    await rebuild();
    expect(await indexes()).to.deep.equal(['000001', '000003']);
  });

  it('keeps the old index up to date for the rollback window, then drops it', async () => {
    const [thread] = await writeThreads(2);
    const old = await liveIndex(deps);
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

  it('brings nothing deleted back, however late an older write comes', async () => {
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

  it('refuses a second rebuild while one is queued or running, and takes another after it', async () => {
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

  it('frees the place of a rebuild whose job was lost', async () => {
    const lost = await enterRebuild(deps.collections, new Date(Date.now() - 3_600_000));
    const next = await enterRebuild(deps.collections);
    expect(await reindexSearch(deps, { rebuildId: lost })).to.deep.equal({ state: 'replaced' });
    expect(await reindexSearch(deps, { rebuildId: next })).to.include({ state: 'done' });
  });

  it('says when a new index does not hold what it must', async () => {
    const threads = await writeThreads(3);
    const index = await createGeneration(deps, await liveIndex(deps));
    const nothing = { write: () => Promise.resolve(), remove: () => Promise.resolve() };
    const problem = await checkGeneration(deps, index, nothing, new Set()).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(problem).to.include('3 threads differ in the new search index');
    expect(problem).to.include(threads[0]!.threadId);
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
