import { expect } from 'chai';
import type { ArchiveStatus } from '../../../services/cli/status/archiveStatus.js';
import { RENDERER_VERSION } from '../../../services/indexer/content/renderContent.js';
import { reindexViews } from '../../../services/indexer/jobs/reindexViews.js';
import { noteRenderer } from '../../../services/indexer/noteRenderer.js';
import { verifyArchive } from '../../../services/indexer/verify/verifyArchive.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { stateOf } from '../../../shared/store/state.js';
import { aSourceMessage, aSourceThread, anId } from '../../support/factories.js';
import { doAll, record } from '../../support/indexerDeps.js';
import { runOnHost } from '../../support/runOnHost.js';
import { indexerSuite } from '../../support/suiteStores.js';

const EARLIER = RENDERER_VERSION - 1;

describe('noteRenderer', () => {
  const { stores, deps } = indexerSuite('reopened');

  /** Starts an indexer as far as this is concerned. Resolves with what it warns of. */
  const start = async (renderer?: number): Promise<string[]> => {
    const warned: string[] = [];
    const logger = { warn: (_facts: object, text: string) => warned.push(text) };
    await noteRenderer(deps.collections, logger as unknown as Logger, renderer);
    return warned;
  };
  const toldByStatus = async (): Promise<string | null> => {
    const { stdout } = await runOnHost({ MONGODB_URL: stores.mongodbUrl }, ['status', '--json']);
    return (JSON.parse(stdout) as ArchiveStatus).viewsProblem;
  };
  const problem = (made: string): string =>
    `Some may be made by ${made}, and the indexer has renderer ${RENDERER_VERSION}: run forum-archive reindex --views`;
  const storeThread = async (): Promise<void> => {
    const threadId = anId();
    await record(deps, aSourceThread({ thread: { _id: threadId } }), [
      aSourceMessage({ _id: threadId, threadId }),
    ]);
    await doAll(deps);
  };

  it('warns of nothing in a new archive, and at the next start', async () => {
    expect(await start()).to.deep.equal([]);
    await storeThread();
    expect(await start()).to.deep.equal([]);
    expect(await toldByStatus()).to.equal(null);
  });

  it('warns at each start after another renderer, until all views are built anew', async () => {
    await start(EARLIER);
    for (const _start of [1, 2])
      expect(await start()).to.deep.equal([`Views: ${problem(`renderer ${EARLIER}`)}`]);
    expect(await toldByStatus()).to.equal(problem(`renderer ${EARLIER}`));
    await reindexViews(deps, () => undefined);
    expect(await toldByStatus()).to.equal(null);
    expect(await start()).to.deep.equal([]);
  });

  it('warns of the views of a later version that was given up', async () => {
    await start();
    await start(RENDERER_VERSION + 1);
    expect(await start()).to.deep.equal([`Views: ${problem(`renderer ${RENDERER_VERSION + 1}`)}`]);
  });

  it('looks at stored bodies where nothing is recorded, and warns until they are mended', async () => {
    await storeThread();
    await stateOf(deps.collections.state, 'views').deleteOne({ _id: 'views' });
    await deps.collections.bodies.updateMany({ _id: /^thread\// }, { $set: { renderer: EARLIER } });
    await start();
    expect(await toldByStatus()).to.equal(problem(`renderer ${EARLIER}`));
    expect(await verifyArchive(deps, {})).to.include({ clean: false });
    expect(await toldByStatus()).to.equal(problem(`renderer ${EARLIER}`));
    expect(await verifyArchive(deps, { repair: true })).to.include({ clean: true });
    expect(await toldByStatus()).to.equal(null);
  });

  it('leaves the record to a later version that has started meanwhile', async () => {
    await start(EARLIER);
    await start(RENDERER_VERSION + 1);
    await reindexViews(deps, () => undefined);
    expect(await toldByStatus()).to.include(`renderer ${EARLIER}`);
  });
});
