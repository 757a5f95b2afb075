import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { Binary } from 'mongodb';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { encodeBody } from '../../../services/indexer/stores/bodyWriter.js';
import type { Area, AreaContext } from '../../../services/indexer/verify/area.js';
import { lookAgain } from '../../../services/indexer/verify/confirm.js';
import { leftoversArea } from '../../../services/indexer/verify/leftovers/leftoversArea.js';
import { peopleArea } from '../../../services/indexer/verify/people/peopleArea.js';
import { completeIndexes } from '../../../services/indexer/verify/searchIndexes.js';
import { threadsArea } from '../../../services/indexer/verify/threads/threadsArea.js';
import {
  claimMarks,
  LEASE_MS,
  setMarks,
  takeBackTries,
} from '../../../services/indexer/work/claims.js';
import { runDue } from '../../../services/indexer/work/runMarks.js';
import { idKey } from '../../../shared/store/listKeys.js';
import { memberId } from '../../../shared/store/optOuts.js';
import { bodyOwner, pieceId } from '../../../shared/store/pieces.js';
import { documentId } from '../../../shared/store/searchIndex.js';
import { AT_ONCE, markId } from '../../../shared/store/work.js';
import { aMessage, anId } from '../../support/factories.js';
import { build, doAll } from '../../support/indexerDeps.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { restingArchive, verifyNow } from '../../support/verifiedArchive.js';

describe('verifyArchive, of what is left behind', () => {
  const { stores, deps } = indexerSuite('cleared');

  const context = (): AreaContext => ({
    deps,
    indexes: [],
    tally: () => undefined,
  });

  it('looks once, however many things differ, and counts those beyond its bounds', async () => {
    await queueFiles(deps, 2_000);
    const area = leftoversArea(context());
    const suspects = await area.look({ after: '' });
    expect(suspects).to.have.length(2_000);
    let looks = 0;
    const counting = {
      ...area,
      look: (...of: Parameters<typeof area.look>) => ((looks += 1), area.look(...of)),
    };
    expect(await lookAgain(counting, suspects)).to.have.length(2_000);
    expect(looks).to.equal(1);
    const counts = async () => (await verifyNow(deps)).counts;
    expect(await counts()).to.deep.equal({ 'upload.missing': { found: 2_000, mended: 0 } });
    await queueFiles(deps, 3_010);
    expect(await counts()).to.deep.equal({ 'upload.missing': { found: 5_000, mended: 0 } });
  });

  it('looks again at no more messages at a time than before', async () => {
    const { threads } = await restingArchive(deps, stores, 4);
    const ids = threads.map(({ threadId }) => threadId);
    const many = { $set: { 'facts.messages': 12_500 } };
    await deps.collections.threadItems.updateMany({}, many);
    const windows = [];
    for await (const window of threadsArea(context()).windows(ids)) windows.push(window);
    expect(windows).to.deep.equal([{ ids: ids.slice(0, 2) }, { ids: ids.slice(2) }]);
  });

  it('looks at no more threads at a time where many of them are not recorded', async () => {
    const { threads } = await restingArchive(deps, stores, 2);
    const { bodies, similar, contributions, messages } = deps.collections;
    const lost = (size: number) => Array.from({ length: size }, anId);
    const [said, shown, listed, tied, found] = [lost(300), lost(90), lost(90), lost(90), lost(90)];
    await messages.insertMany(
      said.flatMap((threadId) => [1, 2, 3].map(() => aMessage({ threadId }))),
    );
    await bodies.insertMany(shown.map((id) => encodeBody(`similar/${id}`, 1, '{}')));
    await similar.insertMany(listed.map((_id) => ({ _id, version: 1, similarTo: [] })));
    const row = await contributions.findOne();
    await contributions.insertMany(
      tied.map((threadId) => ({ ...row!, _id: `${threadId}/${row!.userId}`, threadId })),
    );
    const [index = ''] = await completeIndexes(deps);
    const document = (threadId: string) => ({
      kind: 'tombstone',
      idKey: idKey(threadId),
      threadId,
    });
    await stores.elasticsearch.bulk({
      index,
      refresh: true,
      operations: found.flatMap((id) => [
        { index: { _id: documentId('thread', id) } },
        document(id),
      ]),
    });
    const ids = [...threads.map(({ threadId }) => threadId), ...said, ...shown, ...listed];
    ids.push(...tied, ...found);
    const area = threadsArea({ ...context(), indexes: [index] });
    expectBounded(await idsInWindows(area, ids), 250, ids.length);
  });

  it('looks at no more people at a time where many of them have written nothing', async () => {
    await restingArchive(deps, stores, 1);
    const { bodies, members } = deps.collections;
    const [row] = await members.find().toArray();
    const counted = Array.from({ length: 1_500 }, anId);
    const shown = Array.from({ length: 3_000 }, anId);
    const serverId = anId();
    await members.insertMany(
      counted.map((userId) => ({ ...row!, _id: memberId(serverId, userId), serverId, userId })),
    );
    await bodies.insertMany(shown.map((id) => encodeBody(`user/${id}`, 1, '{}')));
    expectBounded(await idsInWindows(peopleArea(context()), [...counted, ...shown]), 2_000, 4_500);
  });

  it('keeps the pieces of a body that is being made, however long that takes', async () => {
    const { threads } = await restingArchive(deps, stores, 1);
    const { threadId } = threads[0]!;
    const { bodies, pieces, work } = deps.collections;
    const _id = `thread/${threadId}`;
    const hoursAgo = (hours: number) => (Date.now() - hours * 3_600_000) * 1_000;
    await bodies.updateOne({ _id }, { $set: { revision: hoursAgo(2) } });
    const piece = pieceId(bodyOwner(_id, hoursAgo(1)), 0);
    await pieces.insertOne({ _id: piece, data: new Binary(Buffer.from('x')), last: false });
    await setMarks(deps, 'thread', [threadId]);
    const claimed = await claimMarks(deps, await work.find({ subject: threadId }).toArray());
    const ended = new AbortController();
    const renewing = renewClaims(deps, ended.signal);
    const busy = await verifyNow(deps, { repair: true });
    ended.abort();
    await renewing;
    expect(busy).to.deep.include({ differences: [], clean: true });
    expect(await pieces.countDocuments({ _id: piece })).to.equal(1);
    await takeBackTries(deps, claimed);
    await build(deps, threadId);
    const { counts } = await verifyNow(deps, { repair: true });
    expect(counts['piece.orphan']).to.deep.equal({ found: 1, mended: 1 });
    expect(await pieces.countDocuments({ _id: piece })).to.equal(0);
  });

  it('waits for a thread whose worker is busy with another one for long', async () => {
    const { threads } = await restingArchive(deps, stores, 2);
    const ids = threads.map(({ threadId }) => threadId);
    await setMarks(deps, 'thread', ids);
    const long = await deps.collections.work.find({ subject: ids[0]! }).toArray();
    const claimed = await claimMarks(deps, long);
    const ended = new AbortController();
    const renewing = renewClaims(deps, ended.signal);
    const verified = verifyNow(deps, { patienceMs: 2_000 });
    expect(await Promise.race([verified, pause(5_000, 'waiting')])).to.equal('waiting');
    ended.abort();
    await renewing;
    await takeBackTries(deps, claimed);
    await doAll(deps);
    expect(await verified).to.deep.include({ differences: [], clean: true });
  });

  it('waits for similar threads as long as another process looks for them', async () => {
    await markSimilar(deps, 200);
    const ended = new AbortController();
    const searching = searchSlowly(deps, ended.signal);
    const report = await verifyNow(deps, { patienceMs: 100_000 });
    ended.abort();
    await searching;
    expect(report).to.deep.include({ differences: [], clean: true });
  });

  it('looks for similar threads itself where nobody does and it is to mend', async () => {
    await markSimilar(deps, 200);
    const { clean, counts } = await verifyNow(deps, { repair: true });
    expect(counts).to.deep.equal({ 'work.waiting': { found: 200, mended: 200 } });
    expect(clean).to.equal(true);
    expect(await deps.collections.work.countDocuments()).to.equal(0);
  });
});

function expectBounded(sizes: readonly number[], most: number, all: number): void {
  expect(Math.max(...sizes)).to.be.most(most);
  expect(sizes.reduce((sum, size) => sum + size, 0)).to.equal(all);
}

/** How many of some ids are in each window of an area. */
async function idsInWindows(area: Area, ids: readonly string[]): Promise<number[]> {
  const sizes: number[] = [];
  for await (const window of area.windows()) {
    if ('ids' in window) throw new Error('Every id must be looked at');
    const { after, upTo } = window;
    sizes.push(ids.filter((id) => id > after && (upTo === undefined || id <= upTo)).length);
  }
  return sizes;
}

/** Records files that wait to be imported, but have no bytes. */
async function queueFiles({ collections }: IndexerDeps, size: number): Promise<void> {
  const file = { importId: 'x', name: 'a.json', bytes: 1, state: 'queued' as const };
  const queuedAt = new Date();
  await collections.importFiles.insertMany(
    Array.from({ length: size }, () => ({ ...file, _id: anId(), queuedAt })),
  );
}

/** Marks threads whose similar threads should have been looked for by now. */
async function markSimilar({ collections }: IndexerDeps, size: number): Promise<void> {
  const at = new Date(Date.now() - 21 * 60_000);
  const kind = 'similar';
  await collections.work.insertMany(
    Array.from({ length: size }, anId).map((subject) => ({
      _id: markId(kind, subject),
      kind,
      subject,
      token: 'x',
      at,
      due: AT_ONCE,
    })),
  );
}

/** Renews all claims much more often than a worker does, as the looks of these tests follow each other quickly. */
async function renewClaims({ collections }: IndexerDeps, ended: AbortSignal): Promise<void> {
  for (let end = Date.now() + LEASE_MS; !ended.aborted; end += 1_000) {
    const due = new Date(end);
    await collections.work.updateMany({ claim: { $exists: true } }, { $set: { due } });
    await pause(20);
  }
}

async function searchSlowly(deps: IndexerDeps, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await pause(250);
    await runDue(deps);
  }
}
