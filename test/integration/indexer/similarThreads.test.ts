import { expect } from 'chai';
import { listSimilarThreads } from '../../../services/api/similar/listSimilarThreads.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { projectThread } from '../../../services/indexer/project/projectThread.js';
import { raiseRevision } from '../../../services/indexer/records/threadRevision.js';
import { refreshSimilar, showUntil } from '../../../services/indexer/similar/refreshSimilar.js';
import { markDirty } from '../../../services/indexer/stores/dirtyMarks.js';
import { threadsShowing } from '../../../services/indexer/similar/showSimilar.js';
import { similarThreadsSchema, type SimilarThreads } from '../../../shared/contract/similar.js';
import { aSourceMessage, aSourceThread, anId } from '../../support/factories.js';
import { indexerDeps, record } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { openStores, type TestStores } from '../../support/stores.js';

const TOPICS = [
  ['Sextant drifts to the east', 'My sextant points two degrees off the pole star at dawn'],
  ['Calibrating a sextant', 'The sextant is off by degrees, which screw moves the mirror?'],
  ['Sextant mirror fogs', 'Fog between the mirror and the glass of an old sextant'],
  ['Anchor chain rusts', 'Rust on every second link of the anchor chain after winter'],
  ['Which anchor for sand', 'The anchor slips in sand, is a longer chain enough?'],
  ['Tea on board', 'Boiling water while the ship rolls'],
] as const;

/** So that the words of every sentence are common ones. */
const OTHERS = Array.from({ length: 14 }, (_, n) => [
  `Harbour${n}`,
  `Is the old wall of harbour${n} off the map, which is at the end of a road to my left?`,
]);

describe('similar threads', () => {
  let stores: TestStores;
  let deps: IndexerDeps;
  const server = anId();
  const channel = anId();
  let asOf = 1_000;
  let ids: string[];

  const write = async (threadId: string, title: string, content: string, serverId = server) => {
    asOf += 1;
    const place = serverId === server ? channel : anId();
    const source = aSourceThread({
      asOf,
      server: { _id: serverId },
      channel: { _id: place },
      thread: { _id: threadId, title },
    });
    await record(deps, source, [aSourceMessage({ _id: threadId, threadId, content, asOf })]);
    await projectThread(deps, threadId);
  };
  const refresh = async () => {
    await stores.refreshSearch();
    while (await refreshSimilar(deps, new Date(Date.now() + 60_000))) continue;
  };
  const similar = async (threadId: string) =>
    (await readBody<SimilarThreads>(deps.collections, `similar/${threadId}`))?.threads.map(
      ({ title }) => title,
    );

  beforeEach(async () => {
    stores = await openStores();
    deps = indexerDeps(stores);
    ids = TOPICS.map(() => anId());
    for (const [n, [title, content]] of TOPICS.entries()) await write(ids[n]!, title, content);
    await Promise.all(OTHERS.map(([title, content]) => write(anId(), title!, content!)));
    await refresh();
  });
  afterEach(() => stores.close());

  it('finds threads about the same, none about anything else, and never the thread itself', async () => {
    expect(await similar(ids[0]!)).to.have.members([TOPICS[1][0], TOPICS[2][0]]);
    expect(await similar(ids[3]!)).to.deep.equal([TOPICS[4][0]]);
    expect(await similar(ids[5]!)).to.deep.equal([]);
    const body = await readBody<SimilarThreads>(deps.collections, `similar/${ids[0]}`);
    expect(similarThreadsSchema.validate(body).error).to.equal(undefined);
  });

  it('stays on the server of the thread', async () => {
    await write(anId(), 'Sextant of another server', 'sextant degrees mirror', anId());
    await write(ids[0]!, TOPICS[0][0], `${TOPICS[0][1]} again`);
    await refresh();
    expect(await similar(ids[0]!)).to.not.include('Sextant of another server');
  });

  it('gives the same list for the same index', async () => {
    const before = await Promise.all(ids.map(similar));
    await markDirty(
      deps.collections.similarMarks,
      ids.map((id) => `similar/${id}`),
    );
    await refresh();
    expect(await Promise.all(ids.map(similar))).to.deep.equal(before);
  });

  it('shows a new title wherever the thread is shown', async () => {
    await write(ids[1]!, 'Adjusting a sextant', TOPICS[1][1]);
    await refresh();
    expect(await similar(ids[0]!)).to.include('Adjusting a sextant');
    expect(await similar(ids[0]!)).to.not.include(TOPICS[1][0]);
  });

  it('takes a vanished thread out before its mark is gone, and looks for others after', async () => {
    const { threads } = deps.collections;
    await threads.updateOne({ _id: ids[1]! }, { $set: { deleted: true } });
    await raiseRevision(threads, ids[1]!);
    await projectThread(deps, ids[1]!);
    expect(await similar(ids[0]!)).to.deep.equal([TOPICS[2][0]]);
    const gone = await deps.collections.bodies.findOne({ _id: `similar/${ids[1]}` });
    expect(gone).to.include({ gone: true });
    await refresh();
    expect(await threadsShowing(deps, ids[1]!)).to.deep.equal([]);
    expect(await similar(ids[0]!)).to.deep.equal([TOPICS[2][0]]);
  });

  it('shows all that was marked however long it takes, while fewer and fewer are left', async () => {
    const { similarMarks } = deps.collections;
    const marks = Array.from({ length: 250 }, () => `shown/${anId()}`);
    await markDirty(similarMarks, marks);
    await showUntil(deps, new Date(), 0);
    expect(await similarMarks.countDocuments()).to.equal(0);

    await markDirty(similarMarks, [marks[0]!]);
    const busy = new Proxy(similarMarks, {
      get(target, name) {
        if (name === 'bulkWrite') return () => Promise.resolve({ deletedCount: 0 });
        const found: unknown = Reflect.get(target, name, target);
        return typeof found === 'function' ? (found.bind(target) as unknown) : found;
      },
    });
    const still = { ...deps, collections: { ...deps.collections, similarMarks: busy } };
    const error: unknown = await showUntil(still, new Date(), 0).catch((e: unknown) => e);
    expect(String(error)).to.include('have not come to be shown');
  });

  it('waits while files are being imported', async () => {
    await write(ids[5]!, 'Tea from a sextant', 'sextant tea');
    await stores.refreshSearch();
    await deps.collections.importFiles.insertOne({
      ...{ _id: 'u1', importId: 'i1', name: 'a.json', bytes: 1, state: 'queued' },
      queuedAt: new Date(),
    });
    await refreshSimilar(deps, new Date(Date.now() + 60_000));
    expect(await similar(ids[5]!)).to.deep.equal([]);
    await refreshSimilar(deps, new Date(Date.now() + 3_600_000));
    expect(await similar(ids[5]!)).to.not.deep.equal([]);
  });

  it('answers 404 for a thread that is not there, and an empty list for one that is too new', async () => {
    const ask = listSimilarThreads(deps.collections);
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
