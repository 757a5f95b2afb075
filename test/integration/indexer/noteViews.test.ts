import { expect } from 'chai';
import type { ArchiveStatus } from '../../../services/cli/status/archiveStatus.js';
import { RENDERER_VERSION } from '../../../services/indexer/content/renderContent.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { reindexViews } from '../../../services/indexer/jobs/reindexViews.js';
import type { Mirror } from '../../../services/indexer/mirror/mirror.js';
import { watchViews } from '../../../services/indexer/noteViews.js';
import { verifyArchive } from '../../../services/indexer/verify/verifyArchive.js';
import { createServiceLinks } from '../../../services/indexer/views/serviceLinks.js';
import { parseResolvedTags } from '../../../services/indexer/views/threadModel.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { liveTime } from '../../../shared/store/sourceTime.js';
import { stateOf } from '../../../shared/store/state.js';
import { aSourceMessage, aSourceThread, anId } from '../../support/factories.js';
import { doAll, record } from '../../support/indexerDeps.js';
import { runOnHost } from '../../support/runOnHost.js';
import { indexerSuite } from '../../support/suiteStores.js';

const EARLIER = RENDERER_VERSION - 1;
const LIVE = liveTime(Date.UTC(2026, 0, 1) * 1_000);
const TAGS = { resolvedTags: parseResolvedTags('fixed') };
const ADDRESS = { links: createServiceLinks({ publicUrl: 'http://127.0.0.1:3001', cdnUrl: null }) };
const WITH_MIRROR = { mirror: {} as Mirror };

describe('watchViews', () => {
  const { stores, deps } = indexerSuite('cleared', { otherProcesses: true });

  interface Watched {
    /** Records with what this indexer makes views. Resolves with what it has warned of since the last time. */
    look(): Promise<string[]>;
  }
  const anIndexer = (more: Partial<IndexerDeps> = {}, renderer?: number): Watched => {
    const warned: string[] = [];
    const logger = { warn: (_facts: object, text: string) => warned.push(text) };
    const look = watchViews({ ...deps, ...more, logger: logger as unknown as Logger }, renderer);
    return {
      async look() {
        await look();
        return warned.splice(0);
      },
    };
  };
  /** Starts an indexer as far as this is concerned. Resolves with what it warns of. */
  const start = (more?: Partial<IndexerDeps>, renderer?: number): Promise<string[]> =>
    anIndexer(more, renderer).look();
  const toldByStatus = async (): Promise<string | null> => {
    const { stdout } = await runOnHost({ MONGODB_URL: stores.mongodbUrl }, ['status', '--json']);
    return (JSON.parse(stdout) as ArchiveStatus).viewsProblem;
  };
  const problem = (made: string): string =>
    `Some may be made with ${made}: run forum-archive reindex --views`;
  const storeThread = async (asOf = 1): Promise<string> => {
    const threadId = anId();
    await record(deps, { ...aSourceThread({ thread: { _id: threadId } }), asOf }, [
      aSourceMessage({ _id: threadId, threadId, asOf }),
    ]);
    await doAll(deps);
    return threadId;
  };

  it('warns of nothing in a new archive, and at the next start', async () => {
    expect(await start()).to.deep.equal([]);
    await storeThread();
    expect(await start()).to.deep.equal([]);
    expect(await toldByStatus()).to.equal(null);
  });

  it('warns of nothing while there are no views', async () => {
    await start(TAGS, EARLIER);
    expect(await start()).to.deep.equal([]);
    await storeThread();
    expect(await start()).to.deep.equal([]);
  });

  it('warns at each start after another renderer, until all views are built anew', async () => {
    await storeThread();
    await start({}, EARLIER);
    for (const _start of [1, 2])
      expect(await start()).to.deep.equal([`Views: ${problem(`renderer ${EARLIER}`)}`]);
    expect(await toldByStatus()).to.equal(problem(`renderer ${EARLIER}`));
    await reindexViews(deps, () => undefined);
    expect(await toldByStatus()).to.equal(null);
    expect(await start()).to.deep.equal([]);
  });

  it('warns of the views of a later version that was given up', async () => {
    await storeThread();
    await start();
    await start({}, RENDERER_VERSION + 1);
    expect(await start()).to.deep.equal([`Views: ${problem(`renderer ${RENDERER_VERSION + 1}`)}`]);
  });

  for (const [name, before, made] of [
    ['RESOLVED_TAGS', TAGS, 'RESOLVED_TAGS=fixed'],
    ['PUBLIC_URL', ADDRESS, 'PUBLIC_URL=http://127.0.0.1:3001'],
    ['the mirror', WITH_MIRROR, 'a mirror'],
  ] as const)
    it(`warns after a change of ${name}`, async () => {
      await storeThread(LIVE);
      await start(before);
      expect(await start()).to.deep.equal([`Views: ${problem(made)}`]);
    });

  it('warns of all that has changed, until all views are built anew', async () => {
    await storeThread(LIVE);
    await start({ ...TAGS, ...ADDRESS, ...WITH_MIRROR }, EARLIER);
    await start();
    expect(await toldByStatus()).to.equal(
      problem(
        `PUBLIC_URL=http://127.0.0.1:3001 and RESOLVED_TAGS=fixed and a mirror and renderer ${EARLIER}`,
      ),
    );
    await reindexViews(deps, () => undefined);
    expect(await start()).to.deep.equal([]);
  });

  it('warns of no change of PUBLIC_URL while no view has a link to this service', async () => {
    await storeThread();
    await start(ADDRESS);
    expect(await start()).to.deep.equal([]);
    await start({ ...ADDRESS, ...WITH_MIRROR });
    expect(await start(WITH_MIRROR)).to.deep.equal([
      `Views: ${problem('PUBLIC_URL=http://127.0.0.1:3001 and no mirror')}`,
    ]);
  });

  it('warns of no RESOLVED_TAGS with the same names', async () => {
    await storeThread();
    await start({ resolvedTags: parseResolvedTags('Answered, resolved,SOLVED,') });
    expect(await start()).to.deep.equal([]);
  });

  it('warns while two indexers make views in different ways', async () => {
    await storeThread();
    const one = anIndexer();
    const other = anIndexer(TAGS);
    expect(await one.look()).to.deep.equal([]);
    const seen = [`Views: ${problem('RESOLVED_TAGS=answered,resolved,solved')}`];
    expect(await other.look()).to.deep.equal(seen);
    await reindexViews(deps, () => undefined);
    expect(await toldByStatus()).to.equal(null);
    await other.look();
    expect(await one.look()).to.deep.equal([`Views: ${problem('RESOLVED_TAGS=fixed')}`]);
    expect(await toldByStatus()).to.equal(problem('RESOLVED_TAGS=fixed'));
    // Each of them warns once.
    expect(await other.look()).to.deep.equal([]);
    expect(await one.look()).to.deep.equal([]);
  });

  it('warns of nothing new where an earlier version recorded only the renderer', async () => {
    await storeThread(LIVE);
    const views = stateOf(deps.collections.state, 'views');
    await views.insertOne({ _id: 'views', renderer: RENDERER_VERSION, others: [EARLIER] });
    expect(await toldByStatus()).to.equal(problem(`renderer ${EARLIER}`));
    expect(await start()).to.deep.equal([`Views: ${problem(`renderer ${EARLIER}`)}`]);
  });

  it('looks at stored bodies where nothing is recorded, and warns until they are mended', async () => {
    await storeThread();
    const _id = `thread/${await storeThread()}`;
    await deps.collections.bodies.updateOne({ _id }, { $set: { renderer: EARLIER } });
    await start();
    expect(await toldByStatus()).to.equal(problem(`renderer ${EARLIER}`));
    expect(await verifyArchive(deps, {})).to.include({ clean: false });
    expect(await toldByStatus()).to.equal(problem(`renderer ${EARLIER}`));
    expect(await verifyArchive(deps, { repair: true })).to.include({ clean: true });
    expect(await toldByStatus()).to.equal(null);
  });
});
