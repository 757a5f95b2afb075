import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Collection } from 'mongodb';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { deleteMessage } from '../../../services/indexer/jobs/deleteMessage.js';
import { eraseUser } from '../../../services/indexer/jobs/eraseUser.js';
import { importFile } from '../../../services/indexer/jobs/importFile.js';
import { reindexViews } from '../../../services/indexer/jobs/reindexViews.js';
import { retryQuarantined } from '../../../services/indexer/jobs/retryQuarantined.js';
import { createHandlers } from '../../../services/indexer/handlers.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { projectThread } from '../../../services/indexer/project/projectThread.js';
import { sweepPending } from '../../../services/indexer/project/sweep.js';
import { removeOrphanPieces } from '../../../services/indexer/stores/orphanPieces.js';
import { BuildFault } from '../../../services/indexer/quarantine/guardBuild.js';
import { releaseFiles } from '../../../services/indexer/quarantine/guardFile.js';
import { releaseHealed } from '../../../services/indexer/quarantine/releaseHealed.js';
import { raiseRevision } from '../../../services/indexer/records/threadRevision.js';
import { reindexSearch } from '../../../services/indexer/search/reindexSearch.js';
import { SearchUnavailable } from '../../../services/indexer/stores/sendBulk.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { NOT_YET } from '../../../shared/store/heldFile.js';
import { enterRebuild } from '../../../shared/store/searchGenerations.js';
import { type Piece } from '../../../shared/store/pieces.js';
import { newUploadId, storeUpload } from '../../../shared/store/uploads.js';
import { until } from '../../support/apiServer.js';
import { anExport, anExportMessage, anExportUser, bytesOf } from '../../support/exportFiles.js';
import { aSourceMessage, aSourceThread, anAuthor } from '../../support/factories.js';
import { indexerDeps, record } from '../../support/indexerDeps.js';
import { poisoned } from '../../support/poison.js';
import { readBody } from '../../support/readBody.js';
import { openStores, type TestStores } from '../../support/stores.js';

const PROCESS = fileURLToPath(new URL('../../support/poisonProcess.js', import.meta.url));

describe('setting aside', () => {
  let stores: TestStores;
  let deps: IndexerDeps;

  beforeEach(async () => {
    stores = await openStores();
    deps = indexerDeps(stores);
  });
  afterEach(() => stores.close());

  async function recordThread(messages = 2) {
    const source = aSourceThread();
    const threadId = source.thread._id;
    const said = Array.from({ length: messages }, () => aSourceMessage({ threadId }));
    await record(deps, source, said);
    return { threadId, said };
  }
  /** Runs a process that dies of a thread until it ends by itself; gives how often it was killed. */
  async function runUntilItLives(threadId: string, ...more: string[]): Promise<number> {
    for (let killed = 0; killed < 20; killed += 1) {
      if ((await run(stores.mongodbUrl, threadId, ...more)) === null) return killed;
    }
    throw new Error('It is killed again and again');
  }
  const isListed = async (threadId: string) =>
    Boolean((await deps.collections.threadItems.findOne({ _id: threadId }))?.item);
  const marks = () => deps.collections.threads.countDocuments({ pending: { $exists: true } });
  const quarantined = () => deps.collections.quarantine.find().toArray();
  const change = (threadId: string) => raiseRevision(deps.collections.threads, threadId);
  const failing = (threadId: string, error: Error = new TypeError('Cannot render')) =>
    poisoned(deps, threadId, () => {
      throw error;
    });

  it('sets aside a thread that ends its process five times, while all others are built', async () => {
    const others = await Promise.all(Array.from({ length: 6 }, () => recordThread()));
    const { threadId } = await recordThread();
    expect(await runUntilItLives(threadId)).to.equal(5);

    for (const other of others) expect(await isListed(other.threadId)).to.equal(true);
    expect(await isListed(threadId)).to.equal(false);
    expect(await marks()).to.equal(0);
    const [entry, ...more] = await quarantined();
    expect(more).to.deep.equal([]);
    expect(entry).to.include({ _id: `thread-${threadId}`, threadId, count: 5 });
    expect(entry!.reason).to.equal('Its build ended the process');
    const left = await deps.collections.threads.find({ tries: { $exists: true } }).toArray();
    expect(left.map(({ _id }) => _id)).to.deep.equal([threadId]);

    // A newer revision is tried once.
    await change(threadId);
    expect(await runUntilItLives(threadId)).to.equal(1);
    expect(await marks()).to.equal(0);

    expect(await releaseHealed(deps)).to.equal(0);
    await retryQuarantined(deps, { quarantineId: entry!._id });
    await sweepPending(deps, 0);
    expect(await isListed(threadId)).to.equal(true);
    expect(await releaseHealed(deps)).to.equal(1);
    expect(await quarantined()).to.deep.equal([]);
  });

  it('hides a thread that ends its process when something of it is deleted, and ends with it', async () => {
    const { threadId, said } = await recordThread();
    await projectThread(deps, threadId);
    await change(threadId);
    await deps.collections.threads.updateOne({ _id: threadId }, { $set: { tries: 5 } });
    await sweepPending(deps, 0);
    expect((await quarantined())[0]).to.include({ reason: 'Its build ended the process' });
    expect(await isListed(threadId)).to.equal(true);

    const body = () => readBody(deps.collections, `thread/${threadId}`);
    const gone = said[1]!._id;
    expect(JSON.stringify(await body())).to.include(gone);
    expect(await run(stores.mongodbUrl, threadId, 'delete', gone)).to.equal('SIGKILL');
    expect(JSON.stringify(await body())).to.not.include(gone);
    expect(await runUntilItLives(threadId, 'delete', gone)).to.equal(1);
    expect(await body()).to.equal(null);
    expect(await marks()).to.equal(0);
    // Nor does a job that raises every revision end the process again.
    const other = await recordThread();
    const deadly = poisoned(deps, threadId, () => expect.fail('The process ends'));
    await reindexViews(deadly, REPORT_NOBODY);
    expect(await isListed(other.threadId)).to.equal(true);
    expect((await quarantined())[0]).to.include({ reason: 'Its build ended the process' });

    await retryQuarantined(deps, { quarantineId: `thread-${threadId}` });
    await sweepPending(deps, 0);
    expect(await isListed(threadId)).to.equal(true);
  });

  it('takes the words of somebody who is erased out of a thread that ends its process, at once', async () => {
    const { threadId, said } = await recordThread();
    await projectThread(deps, threadId);
    await change(threadId);
    await deps.collections.threads.updateOne({ _id: threadId }, { $set: { tries: 5 } });
    await sweepPending(deps, 0);
    const { author, _id: gone } = said[1]!;
    const body = async () => JSON.stringify(await readBody(deps.collections, `thread/${threadId}`));
    expect(await body()).to.include(gone);
    const erasureId = await requestErasure(deps.collections, author.id);
    expect(await run(stores.mongodbUrl, threadId, 'erase', erasureId)).to.equal('SIGKILL');
    expect(await body()).to.not.include(gone);
    expect(await runUntilItLives(threadId, 'erase', erasureId)).to.be.below(3);
    const erasure = await deps.collections.erasures.findOne({ _id: erasureId });
    expect(erasure).to.have.property('finishedAt');
  });

  it('sets aside a thread whose build always throws, with the reason, and holds up no other', async () => {
    const { threadId } = await recordThread();
    const other = await recordThread();
    const broken = failing(threadId);
    for (let sweep = 1; sweep <= 5; sweep += 1) {
      expect(await marks(), `before sweep ${sweep}`).to.equal(sweep === 1 ? 2 : 1);
      await sweepPending(broken, -60_000).catch(() => undefined);
    }
    expect(await marks()).to.equal(0);
    expect(await isListed(other.threadId)).to.equal(true);
    const [entry] = await quarantined();
    expect(entry).to.include({ kind: 'thread', count: 5, reason: 'TypeError: Cannot render' });
    expect(await projectThread(broken, threadId)).to.equal(false);
    await change(threadId);
    expect(await projectThread(deps, threadId)).to.equal(true);
    expect(await releaseHealed(deps)).to.equal(1);
  });

  it('counts nothing against a thread while a store is away', async () => {
    const { threadId } = await recordThread();
    const away = failing(threadId, new SearchUnavailable('away'));
    for (let sweep = 0; sweep < 7; sweep += 1) await sweepPending(away, 0).catch(() => undefined);
    const thread = await deps.collections.threads.findOne({ _id: threadId });
    expect(thread).to.have.property('pending');
    expect(thread).to.not.have.property('tries');
    expect(await quarantined()).to.deep.equal([]);
  });

  it('takes what was set aside out of every view when something of it is to go', async () => {
    const { threadId, said } = await recordThread();
    await projectThread(deps, threadId);
    const broken = failing(threadId);
    await change(threadId);
    for (let n = 0; n < 4; n += 1) {
      const error: unknown = await projectThread(broken, threadId).catch((e: unknown) => e);
      expect(error).to.be.instanceOf(BuildFault);
    }
    expect(await projectThread(broken, threadId)).to.equal(false);
    expect(await isListed(threadId)).to.equal(true);
    await deleteMessage(broken, { messageId: said[1]!._id });
    expect(await isListed(threadId)).to.equal(false);
    expect((await quarantined())[0]!.reason).to.not.contain('Cannot render');
    expect(await readBody(deps.collections, `thread/${threadId}`)).to.equal(null);
  });

  it('hides what an erasure that was cut off had cleaned, though it was set aside again since', async () => {
    const author = anAuthor('guest', { id: '777777777777777701' });
    const source = aSourceThread();
    const threadId = source.thread._id;
    await record(deps, source, [
      aSourceMessage({ threadId }),
      aSourceMessage({ threadId, author }),
    ]);
    await projectThread(deps, threadId);
    const broken = failing(threadId);
    await change(threadId);
    for (let n = 0; n < 5; n += 1) await sweepPending(broken, -60_000).catch(() => undefined);
    const erasureId = await requestErasure(deps.collections, author.id);
    const first = eraseUser(broken, { erasureId }, () => {
      throw new Error('The process ends');
    });
    expect(await first.catch(String)).to.include('The process ends');
    await sweepPending(broken, -60_000);
    expect(await marks()).to.equal(0);
    await eraseUser(broken, { erasureId }, REPORT_NOBODY);
    expect(await readBody(deps.collections, `thread/${threadId}`)).to.equal(null);
  });

  it('rebuilds the search index without what was set aside', async () => {
    const { threadId } = await recordThread();
    const other = await recordThread();
    await Promise.all([threadId, other.threadId].map((id) => projectThread(deps, id)));
    const broken = failing(threadId);
    const rebuildId = await enterRebuild(deps.collections);
    const rebuild = () => reindexSearch(broken, { rebuildId });
    expect(await rebuild().catch((error: unknown) => error)).to.be.instanceOf(BuildFault);
    for (let n = 0; n < 5; n += 1) await sweepPending(broken, -60_000).catch(() => undefined);
    expect(await rebuild()).to.deep.include({ state: 'done', documents: 3 });
  });

  describe('files', () => {
    async function queue(author = anExportUser()) {
      const messages = [anExportMessage(), anExportMessage({ author })];
      const uploadId = newUploadId();
      await storeUpload(deps.collections, uploadId, bytesOf(anExport({ messages })));
      const file = { importId: 'import', name: 'x.json', bytes: 1, state: 'queued' as const };
      await deps.collections.importFiles.insertOne({
        ...file,
        _id: uploadId,
        queuedAt: new Date(),
      });
      return { uploadId, threadId: messages[0]!.id, importId: 'import' };
    }
    const stateOf = async (uploadId: string) =>
      (await deps.collections.importFiles.findOne({ _id: uploadId }))?.state;

    it('sets aside a file whose import ends the process, and takes it when it is tried again', async () => {
      const { uploadId, threadId } = await queue();
      expect(await runUntilItLives(threadId, 'import', uploadId)).to.equal(5);
      expect(await stateOf(uploadId)).to.equal('rejected');
      expect((await quarantined())[0]).to.include({ _id: `file-${uploadId}`, count: 5 });
      await removeOrphanPieces(deps.collections, new Date(Date.now() + 2 * 86_400_000));

      await retryQuarantined(deps, { quarantineId: `file-${uploadId}` });
      expect(await stateOf(uploadId)).to.be.oneOf(['imported', 'unchanged']);
      const body = await readBody<ThreadDetail>(deps.collections, `thread/${threadId}`);
      expect(body?.messages).to.have.length(2);
      expect(await releaseHealed(deps)).to.equal(1);
      expect(await deps.collections.pieces.countDocuments()).to.equal(0);
    });

    /** Deps in which every import fails for a reason of its own. */
    const failingImports = (): IndexerDeps => {
      const throwing = { ...deps.collections, channels: undefined };
      return { ...deps, collections: throwing as unknown as typeof deps.collections };
    };
    async function quarantineFile(author = anExportUser()) {
      const payload = await queue(author);
      const broken = failingImports();
      for (let n = 0; n < 5; n += 1) await importFile(broken, payload).catch(() => undefined);
      expect(await stateOf(payload.uploadId)).to.equal('rejected');
      return payload;
    }
    const uploads = async () =>
      (await deps.collections.pieces.find().toArray()).map(({ _id }) => _id.split('/')[1]);
    const gone = anExportUser({ id: '777777777777777701', name: 'zyx', nickname: 'Zyx' });

    it('removes what holds words of somebody who is erased, and keeps the rest', async () => {
      const theirs = await quarantineFile(gone);
      const other = await quarantineFile();
      expect(await uploads()).to.have.members([theirs.uploadId, other.uploadId]);
      const erasureId = await requestErasure(deps.collections, gone.id);
      await eraseUser(deps, { erasureId }, REPORT_NOBODY);
      expect(await uploads()).to.deep.equal([other.uploadId]);
      expect((await quarantined()).map(({ subject }) => subject)).to.deep.equal([other.uploadId]);
      const file = await deps.collections.importFiles.findOne({ _id: theirs.uploadId });
      expect(file?.reason).to.match(/has to be handed in again$/);
      expect(file?.state).to.equal('rejected');

      // One that is set aside only afterwards.
      await quarantineFile(gone);
      expect(await uploads()).to.deep.equal([other.uploadId]);
    });

    it('removes what holds a thread that is deleted, before its deletion is forgotten', async () => {
      const theirs = await quarantineFile();
      const other = await quarantineFile();
      const handlers = createHandlers(deps);
      await handlers['delete-thread']({ threadId: theirs.threadId });
      expect(await uploads()).to.deep.equal([other.uploadId]);
      expect((await quarantined()).map(({ subject }) => subject)).to.deep.equal([other.uploadId]);
      await handlers['delete-message']({ messageId: other.threadId });
      expect(await uploads()).to.deep.equal([]);
    });

    /** Whose uploads cannot be read. */
    const unread = (toArray: () => Promise<never>) => {
      const pieces = { find: () => ({ toArray }) } as unknown as Collection<Piece>;
      return { ...deps, collections: { ...deps.collections, pieces } };
    };
    const fileOf = (_id: string) => deps.collections.importFiles.findOne({ _id });
    /** Begins an import that goes on until it is cut off. */
    const begin = async (payload: { uploadId: string; importId: string }) => {
      const before = (await fileOf(payload.uploadId))?.running;
      let fail = (_error: Error): void => undefined;
      const endless = new Promise<never>((_resolve, reject) => {
        fail = reject;
      });
      const ended = importFile(
        unread(() => endless),
        payload,
      ).catch(() => undefined);
      await until(async () => (await fileOf(payload.uploadId))?.running !== before);
      return (error: Error = new SearchUnavailable('The process ends')) => {
        fail(error);
        return ended;
      };
    };
    const cutOff = (_id: string, more = {}) =>
      deps.collections.importFiles.updateOne({ _id }, { $set: { running: 'another', ...more } });

    it('counts no try of a file whose process was stopped', async () => {
      const payload = await queue();
      await cutOff(payload.uploadId, { tries: 3 });
      const end = await begin(payload);
      expect(await fileOf(payload.uploadId)).to.include({ tries: 4 });
      await releaseFiles(deps.collections);
      expect(await fileOf(payload.uploadId)).to.include({ tries: 3, running: null });
      await end();
    });

    it('counts no try of a file that is still being imported in the same process', async () => {
      const payload = await queue();
      const end = await begin(payload);
      expect(await importFile(deps, payload)).to.include({ state: 'imported' });
      expect(await fileOf(payload.uploadId)).not.to.have.property('tries');
      await end();
    });

    it('counts no try of a file while a store is away, also when an earlier one was cut off', async () => {
      const payload = await queue();
      const away = unread(() => Promise.reject(new SearchUnavailable('away')));
      for (let n = 0; n < 7; n += 1) {
        await cutOff(payload.uploadId);
        const error: unknown = await importFile(away, payload).catch((e: unknown) => e);
        expect(error).to.be.instanceOf(SearchUnavailable);
      }
      expect(await fileOf(payload.uploadId)).to.include({ state: 'queued', tries: 0 });
    });

    it('sets no file aside that was imported beside it', async () => {
      const payload = await queue();
      await cutOff(payload.uploadId, { tries: 4, running: null });
      const end = await begin(payload);
      expect(await importFile(deps, payload)).to.include({ state: 'imported' });
      expect(await end(new Error('A failure of its own'))).to.equal(null);
      expect(await stateOf(payload.uploadId)).to.equal('imported');
      expect(await quarantined()).to.deep.equal([]);
    });

    it('leaves a file alone that is held back', async () => {
      const payload = await queue();
      const { importFiles } = deps.collections;
      await importFiles.updateOne({ _id: payload.uploadId }, { $set: { queuedAt: NOT_YET } });
      expect(await importFile(deps, payload)).to.equal(null);
      expect(await stateOf(payload.uploadId)).to.equal('queued');
    });

    it('sets aside a file whose import always throws, and keeps its upload', async () => {
      const payload = await queue();
      const { uploadId } = payload;
      const broken = failingImports();
      for (let n = 0; n < 4; n += 1)
        expect(await importFile(broken, payload).catch(() => 'thrown')).to.equal('thrown');
      const outcome = await importFile(broken, payload);
      expect(outcome).to.include({ state: 'rejected' });
      expect(outcome?.reason).to.match(/^Set aside after 5 tries\. TypeError/);
      expect(await deps.collections.pieces.countDocuments()).to.equal(1);
      await retryQuarantined(deps, { quarantineId: `file-${uploadId}` });
      expect(await stateOf(uploadId)).to.equal('imported');
    });
  });
});

/** Runs the process once; null when it ended by itself, else the signal that killed it. */
function run(mongodbUrl: string, ...args: string[]): Promise<string | null> {
  const env = { ...process.env, MONGODB_URL: mongodbUrl };
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [PROCESS, ...args], { env }, (error, _out, stderr) => {
      if (child.signalCode === null && error) reject(new Error(stderr));
      else resolve(child.signalCode);
    });
  });
}
