import { expect } from 'chai';
import { bodyReader } from '../../../services/api/bodies/bodyReader.js';
import { listSimilarThreads } from '../../../services/api/similar/listSimilarThreads.js';
import { deleteThread } from '../../../services/indexer/jobs/deleteThread.js';
import { listsNaming } from '../../../services/indexer/build/buildShown.js';
import type { Commit } from '../../../services/indexer/work/commit.js';
import { isTransient } from '../../../services/indexer/permanentErrors.js';
import { findSimilar } from '../../../services/indexer/similar/findSimilar.js';
import { waitForOthers } from '../../../services/indexer/similar/findSimilarAgain.js';
import { runClaimed, runDue } from '../../../services/indexer/work/runMarks.js';
import { AT_ONCE, NEVER, newMark } from '../../../shared/store/work.js';
import { claimMarks, setMarks } from '../../../services/indexer/work/claims.js';
import { similarThreadsSchema, type SimilarThreads } from '../../../shared/contract/similar.js';
import { until } from '../../support/apiServer.js';
import { aSourceMessage, aSourceThread, anAuthor, anId } from '../../support/factories.js';
import type { AuthorSnapshot } from '../../../shared/store/records.js';
import { leaveOut } from '../../support/leaveOut.js';
import { build, doAll, record } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { PATIENT_READS } from '../../support/patientReads.js';

const TOPICS = [
  ['Sextant drifts to the east', 'My sextant points two degrees off the pole star at dawn'],
  ['Calibrating a sextant', 'The sextant is off by degrees, which screw moves the mirror?'],
  ['Sextant mirror fogs', 'Fog between the mirror and the glass of an old sextant'],
  ['Anchor chain rusts', 'Rust on every second link of the anchor chain after winter'],
  ['Which anchor for sand', 'The anchor slips in sand, is a longer chain enough?'],
  ['Tea on board', 'Boiling water while the ship rolls'],
] as const;

/** With these, the words of every sentence are common ones. */
const OTHERS = Array.from({ length: 14 }, (_, n) => [
  `Harbour${n}`,
  `Is the old wall of harbour${n} off the map, which is at the end of a road to my left?`,
]);

describe('similar threads', () => {
  const { stores, deps } = indexerSuite('renewed');
  const server = anId();
  const channel = anId();
  let asOf = 1_000;
  let ids: string[];

  const write = async (
    threadId: string,
    title: string,
    content: string,
    place = { serverId: server, channelId: channel },
  ) => {
    asOf += 1;
    const source = aSourceThread({
      asOf,
      server: { _id: place.serverId },
      channel: { _id: place.channelId },
      thread: { _id: threadId, title },
    });
    await record(deps, source, [aSourceMessage({ _id: threadId, threadId, content, asOf })]);
    await build(deps, threadId);
  };
  const refresh = async () => {
    await stores.refreshSearch();
    await doAll(deps);
  };
  const similar = async (threadId: string) =>
    (await readBody<SimilarThreads>(deps.collections, `similar/${threadId}`))?.threads.map(
      ({ title }) => title,
    );

  beforeEach(async () => {
    ids = TOPICS.map(() => anId());
    for (const [n, [title, content]] of TOPICS.entries()) await write(ids[n]!, title, content);
    await Promise.all(OTHERS.map(([title, content]) => write(anId(), title!, content!)));
    await refresh();
  });

  it('finds threads about the same, none about anything else, and never the thread itself', async () => {
    expect(await similar(ids[0]!)).to.have.members([TOPICS[1][0], TOPICS[2][0]]);
    expect(await similar(ids[3]!)).to.deep.equal([TOPICS[4][0]]);
    expect(await similar(ids[5]!)).to.deep.equal([]);
    const body = await readBody<SimilarThreads>(deps.collections, `similar/${ids[0]}`);
    expect(similarThreadsSchema.validate(body).error).to.equal(undefined);
  });

  it('shows no list of a thread whose deletion is done, even if a worker stores one late', async () => {
    const id = ids[0]!;
    const { work, threadItems } = deps.collections;
    await setMarks(deps, 'shown', [id]);
    const claimed = await claimMarks(deps, await work.find({ _id: `shown/${id}` }).toArray());
    // The worker has read that the thread is listed, and stores its list late.
    let isRead = false;
    let store: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (store = resolve));
    const commit: Commit = async (change) => {
      isRead = true;
      await late;
      return deps.commit(change);
    };
    const slow = { ...deps, commit: Object.assign(commit, { first: commit }) };
    const storing = runClaimed(slow, 'shown', claimed);
    await until(() => isRead);
    const deleting = deleteThread(deps, { threadId: id });
    await until(async () => (await threadItems.findOne({ _id: id })) === null);
    await until(async () => (await work.findOne({ _id: `thread/${id}` })) === null);
    store();
    await Promise.all([storing, deleting]);
    expect(await readBody(deps.collections, `similar/${id}`)).to.equal(null);
  });

  it('compares a thread by nothing that people say who are left out of the server', async () => {
    const [threadId, eve] = [anId(), anAuthor('eve')];
    const source = aSourceThread({
      asOf: 1_000,
      server: { _id: server },
      channel: { _id: channel },
      thread: { _id: threadId, title: 'Who knows' },
    });
    const by = (author: AuthorSnapshot, content: string) =>
      aSourceMessage({ _id: anId(), threadId, author, content });
    await record(deps, source, [
      by(eve, 'Rust on the anchor chain: it slips in sand'),
      by(eve, 'Is a longer anchor chain enough?'),
      by(anAuthor('bob'), 'Boiling water, says the ship'),
    ]);
    await refresh();
    expect(await similar(threadId)).to.include(TOPICS[3][0]);
    await leaveOut(stores.mongo, server, eve.id);
    await setMarks(deps, 'thread', [threadId]);
    await refresh();
    expect(await similar(threadId)).to.deep.equal([TOPICS[5][0]]);
  });

  it('stays on the server of the thread', async () => {
    const elsewhere = { serverId: anId(), channelId: anId() };
    await write(anId(), 'Sextant of another server', 'sextant degrees mirror', elsewhere);
    await write(ids[0]!, TOPICS[0][0], `${TOPICS[0][1]} again`);
    await refresh();
    expect(await similar(ids[0]!)).to.not.include('Sextant of another server');
  });

  it('lists threads of the same forum before equal ones of other forums', async () => {
    const [title, content] = ['Sextant for beginners', 'Which sextant has a mirror without fog?'];
    const [inside, outside, asked] = [anId(), anId(), anId()];
    await write(inside, title, content);
    await write(outside, `${title}!`, content, { serverId: server, channelId: anId() });
    await write(asked, 'Which sextant?', content);
    await refresh();
    const both = [title, `${title}!`];
    // Of threads that count equally, the newer one would come first.
    expect((await similar(asked))?.filter((one) => both.includes(one))).to.deep.equal(both);
  });

  it('gives the same list for the same index', async () => {
    const before = await Promise.all(ids.map(similar));
    await setMarks(deps, 'similar', ids);
    await refresh();
    expect(await Promise.all(ids.map(similar))).to.deep.equal(before);
  });

  it('gives the same list however often the thread is built again, and its words with it', async () => {
    const letter = (n: number) => String.fromCodePoint(97 + n);
    const own = Array.from(
      { length: 60 },
      (_, n) => `ka${letter(n % 20)}${letter(Math.floor(n / 20))}zum`,
    );
    const content = `${own.join(' ')}. Which screw moves the mirror of a sextant by degrees?`;
    const id = anId();
    await write(id, 'Wobbling', content);
    await refresh();
    const first = await similar(id);
    expect(first?.[0]).to.equal(TOPICS[1][0]);
    for (const thanks of ['thanks', 'thanks a lot']) {
      await write(id, 'Wobbling', `${content} And ${thanks}`);
      await refresh();
      expect(await similar(id), thanks).to.deep.equal(first);
    }
  });

  it('shows a new title wherever the thread is shown', async () => {
    await write(ids[1]!, 'Adjusting a sextant', TOPICS[1][1]);
    await refresh();
    expect(await similar(ids[0]!)).to.include('Adjusting a sextant');
    expect(await similar(ids[0]!)).to.not.include(TOPICS[1][0]);
  });

  it('removes a deleted thread before its deletion is done, and looks for others afterwards', async () => {
    await deleteThread(deps, { threadId: ids[1]! });
    expect(await similar(ids[0]!)).to.deep.equal([TOPICS[2][0]]);
    expect(await deps.collections.bodies.findOne({ _id: `similar/${ids[1]}` })).to.equal(null);
    await refresh();
    expect(await listsNaming(deps, [ids[1]!]).toArray()).to.deep.equal([]);
    expect(await deps.collections.similar.findOne({ _id: ids[1]! })).to.equal(null);
    expect(await similar(ids[0]!)).to.deep.equal([TOPICS[2][0]]);
  });

  it('stops looking for a list while search finds a thread that cannot be listed', async () => {
    const { work } = deps.collections;
    const threadId = anId();
    const source = aSourceThread({
      server: { _id: server },
      channel: { _id: channel },
      thread: { _id: threadId, title: TOPICS[0][0] },
    });
    await record(deps, source, [
      aSourceMessage({ _id: threadId, threadId, content: TOPICS[0][1] }),
    ]);
    const isIt = { _id: `thread/${threadId}` };
    const claimed = await claimMarks(deps, await work.find(isIt).toArray());
    // Its search documents are sent, but its views are not stored. So it is quarantined.
    const commit = () => Promise.reject(new Error('It is too large'));
    const failing = { ...deps, commit: Object.assign(commit, { first: commit }) };
    expect(await runClaimed(failing, 'thread', claimed).catch(String)).to.include('too large');
    await work.updateOne(isIt, { $set: { due: NEVER } });
    await refresh();
    const list = { subject: ids[0]! };
    await setMarks(deps, 'similar', [list.subject]);
    for (const kind of ['similar', 'shown'] as const) await runDue(deps, list, [kind]);
    expect(await work.countDocuments(list)).to.equal(0);
    expect(await similar(list.subject)).to.have.members([TOPICS[1][0], TOPICS[2][0]]);
  });

  it('waits while files are being imported, but not too long', async () => {
    const { work, importFiles } = deps.collections;
    await write(ids[5]!, 'Tea from a sextant', 'sextant tea');
    await stores.refreshSearch();
    await importFiles.insertOne({
      _id: 'u1',
      importId: 'i1',
      name: 'a.json',
      bytes: 1,
      state: 'queued',
      queuedAt: new Date(),
    });
    await doAll(deps);
    expect(await similar(ids[5]!)).to.deep.equal([]);
    const long = { at: new Date(Date.now() - 3_600_000), due: AT_ONCE };
    await work.updateOne({ _id: `similar/${ids[5]}` }, { $set: long });
    while ((await runDue(deps)) === true);
    expect(await similar(ids[5]!)).to.not.deep.equal([]);

    // It also waits for builds, and for all that somebody waits for, but not for what is quarantined.
    await importFiles.deleteMany({});
    const waits = async (...mark: Parameters<typeof newMark>) => {
      await work.deleteMany({});
      await work.insertOne(newMark(...mark));
      return waitForOthers(deps);
    };
    for (const kind of ['thread', 'person', 'server'] as const)
      expect(await waits(kind, '1'), kind).to.equal(true);
    expect(await waits('lists', '1', { causes: ['import/1'] })).to.equal(true);
    expect(await waits('lists', '1')).to.equal(false);
    expect(await waits('similar', '1', { causes: ['import/1'] })).to.equal(false);
    expect(await waits('thread', '1', { due: NEVER })).to.equal(false);

    // It waits for others even where a thread of its own was quarantined long ago.
    await work.insertOne({ ...newMark('similar', '2', { due: NEVER }), at: long.at });
    await work.insertOne(newMark('thread', '3'));
    expect(await waitForOthers(deps)).to.equal(true);
  });

  it('looks again when the index was too busy for one of several questions', async () => {
    const busy = Object.create(deps.elasticsearch, {
      msearch: {
        value: () =>
          Promise.resolve({
            responses: [
              { status: 429, error: { type: 'es_rejected_execution_exception', reason: 'full' } },
            ],
          }),
      },
    }) as typeof deps.elasticsearch;
    const thread = { _id: ids[0]!, serverId: server, channelId: channel, title: TOPICS[0][0] };
    const error = await findSimilar({ ...deps, elasticsearch: busy }, [thread]).catch(
      (thrown: unknown) => thrown,
    );
    expect(isTransient(error)).to.equal(true);
  });

  it('answers 404 for a thread that is not there, and an empty list for one that is too new', async () => {
    const reads = { readBody: bodyReader(deps.collections, PATIENT_READS) };
    const ask = listSimilarThreads({ ...deps.collections, ...reads });
    const answer = async (threadId: string) =>
      ask({ params: { threadId }, query: {} } as never).then(
        ({ identity }) => JSON.parse(String(identity)) as unknown,
        (error: unknown) => (error as { code: string }).code,
      );
    expect(await answer(anId())).to.equal('NOT_FOUND');
    expect(await answer('x')).to.equal('NOT_FOUND');
    const young = anId();
    await write(young, 'Young', 'Young');
    expect(await answer(young)).to.deep.equal({ threadId: young, threads: [] });
  });
});
