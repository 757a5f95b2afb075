import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Collection } from 'mongodb';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { deleteMessage } from '../../../services/indexer/jobs/deleteMessage.js';
import { deleteThread } from '../../../services/indexer/jobs/deleteThread.js';
import { eraseUser } from '../../../services/indexer/jobs/eraseUser.js';
import { importFile } from '../../../services/indexer/jobs/importFile.js';
import { reindexViews } from '../../../services/indexer/jobs/reindexViews.js';
import { retryQuarantined } from '../../../services/indexer/jobs/retryQuarantined.js';
import { createStoreAccess } from '../../../services/indexer/stores/storeAccess.js';
import { createHandlers } from '../../../services/indexer/handlers.js';
import { removeUploadsOf } from '../../../services/indexer/quarantine/removeUploadsOf.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { removeOrphanPieces } from '../../../services/indexer/stores/orphanPieces.js';
import { reindexSearch } from '../../../services/indexer/search/reindexSearch.js';
import { SearchUnavailable } from '../../../services/indexer/stores/sendBulk.js';
import type { SyncDeps } from '../../../services/indexer/sync/syncDeps.js';
import { noteRoles } from '../../../services/indexer/sync/noteRoles.js';
import { withholdChannels } from '../../../services/indexer/sync/withholdChannels.js';
import { runDue } from '../../../services/indexer/work/runMarks.js';
import { jobSchemas } from '../../../shared/jobs/jobs.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { enterRebuild, findRebuild } from '../../../shared/store/searchGenerations.js';
import { type Piece } from '../../../shared/store/pieces.js';
import { AT_ONCE, markId, NEVER, type WorkKind } from '../../../shared/store/work.js';
import { giveUpClaims, setMarks } from '../../../services/indexer/work/claims.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { liveTime } from '../../../shared/store/sourceTime.js';
import { stateOf } from '../../../shared/store/state.js';
import { newUploadId, storeUpload } from '../../../shared/store/uploads.js';
import { until } from '../../support/apiServer.js';
import { anExport, anExportMessage, anExportUser, bytesOf } from '../../support/exportFiles.js';
import { aSourceMessage, aSourceThread, anAuthor } from '../../support/factories.js';
import {
  build,
  doAll,
  prolongLeases,
  quarantined as failures,
  record,
} from '../../support/indexerDeps.js';
import { poisoned } from '../../support/poison.js';
import { readBody } from '../../support/readBody.js';
import { indexerSuite } from '../../support/suiteStores.js';

const PROCESS = fileURLToPath(new URL('../../support/poisonProcess.js', import.meta.url));

/** The reason for a thread that ends its process. */
const ENDED = 'Its 5 runs ended the process, or were cut off';

describe('quarantine', () => {
  const { stores, deps } = indexerSuite('emptied', { otherProcesses: true });

  async function recordThread(messages = 2) {
    const source = aSourceThread();
    const threadId = source.thread._id;
    const said = Array.from({ length: messages }, () => aSourceMessage({ threadId }));
    await record(deps, source, said);
    return { threadId, said };
  }
  /**
   * Runs a process again and again until it survives. Resolves with how often it was killed. To save starts of
   * processes, the first death may count as several.
   */
  async function runUntilItLives(args: string[], firstCountsAs = 1): Promise<number> {
    const triedOnce = { kind: { $in: ['thread', 'file'] satisfies WorkKind[] }, tries: 1 };
    for (let killed = 0; killed < 20; killed += 1) {
      if ((await run(stores.mongodbUrl, ...args)) === null) return killed;
      await endLeases();
      await deps.collections.work.updateMany(triedOnce, { $set: { tries: firstCountsAs } });
    }
    throw new Error('It is killed again and again');
  }
  /** Ends at once the claims of a process that was killed. */
  const endLeases = () =>
    deps.collections.work.updateMany({ due: { $ne: NEVER } }, { $set: { due: AT_ONCE } });
  const isListed = async (threadId: string) =>
    Boolean((await deps.collections.threadItems.findOne({ _id: threadId }))?.item);
  const marks = () => deps.collections.work.countDocuments({ kind: 'thread', due: { $ne: NEVER } });
  const markOf = (threadId: string) =>
    deps.collections.work.findOne({ _id: markId('thread', threadId) });
  const quarantined = () => failures(deps);
  const change = (threadId: string) => setMarks(deps, 'thread', [threadId]);
  const failing = (threadId: string, strike: () => void = cannotRender) =>
    poisoned(deps, threadId, strike);
  /** Has a thread quarantined that ends its process. */
  const quarantineDeadly = async (threadId: string): Promise<void> => {
    await change(threadId);
    await deps.collections.work.updateOne(
      { _id: markId('thread', threadId) },
      { $set: { tries: 5 } },
    );
    await doAll(deps);
    expect((await quarantined())[0]).to.include({ reason: ENDED });
  };

  it('quarantines a thread that ends its process five times, while all others are built', async () => {
    const others = await Promise.all(Array.from({ length: 6 }, () => recordThread()));
    const { threadId } = await recordThread();
    expect(await runUntilItLives([threadId], 3)).to.equal(3);

    for (const other of others) expect(await isListed(other.threadId)).to.equal(true);
    expect(await isListed(threadId)).to.equal(false);
    expect(await marks()).to.equal(0);
    const [entry, ...more] = await quarantined();
    expect(more).to.deep.equal([]);
    expect(entry).to.include({ id: `thread-${threadId}`, threadId, count: 5, reason: ENDED });
    const left = await deps.collections.work.find({ tries: { $exists: true } }).toArray();
    expect(left.map(({ subject }) => subject)).to.deep.equal([threadId]);

    // After a change, it does not end another process.
    await change(threadId);
    await doAll(failing(threadId, () => expect.fail('The process ends')));
    expect(await isListed(threadId)).to.equal(false);
    expect(await markOf(threadId)).to.deep.include({ due: NEVER });

    await retryQuarantined(deps, { quarantineId: entry!.id });
    await doAll(deps);
    expect(await isListed(threadId)).to.equal(true);
    expect(await quarantined()).to.deep.equal([]);
  });

  it('leaves a thread to the process that builds it, and to others when its claim has ended', async () => {
    const { threadId } = await recordThread();
    expect(await run(stores.mongodbUrl, threadId)).to.equal('SIGKILL');
    expect(await markOf(threadId)).to.include({ tries: 1 });
    await prolongLeases(deps, threadId);
    await runDue(deps);
    expect(await isListed(threadId)).to.equal(false);
    await endLeases();
    await runDue(deps);
    expect(await isListed(threadId)).to.equal(true);
    expect(await markOf(threadId)).to.equal(null);
  });

  it('hides a thread that ends its process when something of it is deleted', async () => {
    const { threadId, said } = await recordThread();
    await build(deps, threadId);
    await quarantineDeadly(threadId);
    expect(await isListed(threadId)).to.equal(true);
    const deadly = failing(threadId, () => expect.fail('The process ends'));

    // A thread of which nothing is removed keeps what is shown.
    const other = await recordThread();
    await reindexViews(deadly, REPORT_NOBODY);
    expect(await isListed(other.threadId)).to.equal(true);
    expect(await isListed(threadId)).to.equal(true);
    expect((await quarantined())[0]).to.include({ reason: ENDED });

    const body = () => readBody(deps.collections, `thread/${threadId}`);
    const gone = said[1]!._id;
    expect(JSON.stringify(await body())).to.include(gone);
    expect(await run(stores.mongodbUrl, threadId, 'delete', gone)).to.equal(null);
    expect(await body()).to.equal(null);
    expect(await isListed(threadId)).to.equal(false);
    expect(await marks()).to.equal(0);

    await retryQuarantined(deps, { quarantineId: `thread-${threadId}` });
    await doAll(deps);
    expect(await isListed(threadId)).to.equal(true);
    expect(JSON.stringify(await body())).to.not.include(gone);
  });

  it('finishes a deletion in a thread that ends its process, in whatever state that is', async () => {
    const { threadId, said } = await recordThread();
    await build(deps, threadId);
    expect(await runUntilItLives([threadId, 'delete', said[1]!._id], 4)).to.equal(2);
    expect(await readBody(deps.collections, `thread/${threadId}`)).to.equal(null);
    expect(await isListed(threadId)).to.equal(false);
    const filter = [{ terms: { kind: ['thread', 'message'] } }, { term: { threadId } }];
    await stores.refreshSearch();
    const index = searchAlias(deps.namespace);
    const query = { bool: { filter } };
    expect(await stores.elasticsearch.count({ index, query })).to.include({ count: 0 });
  });

  it('removes the words of an erased person from a thread that ends its process', async () => {
    const { threadId, said } = await recordThread();
    await build(deps, threadId);
    await quarantineDeadly(threadId);
    const { author, _id: gone } = said[1]!;
    const { threads } = deps.collections;
    await threads.updateOne({ _id: threadId }, { $set: { ownerId: author.id } });
    const body = async () => JSON.stringify(await readBody(deps.collections, `thread/${threadId}`));
    expect(await body()).to.include(gone);
    const erasureId = await requestErasure(deps.collections, author.id);
    expect(await run(stores.mongodbUrl, threadId, 'erase', erasureId)).to.equal(null);
    expect(await body()).to.not.include(gone);
    const said2 = await deps.collections.messages.find({ threadId }).toArray();
    expect(JSON.stringify(said2)).to.not.include(author.id);
    expect(await threads.findOne({ _id: threadId })).to.not.include({ ownerId: author.id });
    const erasure = await deps.collections.erasures.findOne({ _id: erasureId });
    expect(erasure).to.have.property('finishedAt');
  });

  it('quarantines a thread whose build always throws, with the reason, and blocks no other', async () => {
    const { threadId } = await recordThread();
    const other = await recordThread();
    const broken = failing(threadId);
    for (let round = 1; round <= 5; round += 1) {
      expect(await marks(), `before round ${round}`).to.equal(round === 1 ? 2 : 1);
      await runDue(broken).catch(() => undefined);
    }
    expect(await marks()).to.equal(0);
    expect(await isListed(other.threadId)).to.equal(true);
    const [entry] = await quarantined();
    expect(entry).to.include({ kind: 'thread', count: 5, reason: 'TypeError: Cannot render' });
    expect(await build(broken, threadId)).to.equal(false);

    // After a change, it is tried once.
    let tried = 0;
    await change(threadId);
    const counting = failing(threadId, () => {
      tried += 1;
      cannotRender();
    });
    await doAll(counting);
    expect(await build(counting, threadId)).to.equal(false);
    expect(tried).to.equal(1);
    await change(threadId);
    expect(await build(deps, threadId)).to.equal(true);
    expect(await isListed(threadId)).to.equal(true);
    expect(await quarantined()).to.deep.equal([]);
  });

  it('keeps the last views of a thread that cannot be built any more', async () => {
    const { threadId, said } = await recordThread();
    await build(deps, threadId);
    await change(threadId);
    expect(await build(failing(threadId), threadId)).to.equal(false);
    expect(await isListed(threadId)).to.equal(true);
    const body = await readBody<ThreadDetail>(deps.collections, `thread/${threadId}`);
    expect(body?.messages).to.have.length(said.length);
  });

  it('counts no try of a thread while a store is away', async () => {
    const { threadId } = await recordThread();
    const away = failing(threadId, () => {
      throw new SearchUnavailable('away');
    });
    for (let round = 0; round < 7; round += 1) await runDue(away).catch(() => undefined);
    const mark = await markOf(threadId);
    expect(mark).to.deep.include({ due: AT_ONCE });
    expect(mark).to.not.have.any.keys('tries', 'claim');
    expect(await quarantined()).to.deep.equal([]);
  });

  it('quarantines other work that always fails, and releases it when it is done', async () => {
    const { threadId, said } = await recordThread();
    await build(deps, threadId);
    const person = markId('person', said[0]!.author.id);
    const { contributions } = deps.collections;
    const broken = new Proxy(contributions, {
      get: (target, name) =>
        name === 'find' ? cannotRender() : (Reflect.get(target, name) as unknown),
    });
    const collections = { ...deps.collections, contributions: broken };
    const left = { _id: person, due: { $ne: NEVER } };
    for (let n = 0; n < 20 && (await deps.collections.work.findOne(left)); n += 1)
      await runDue({ ...deps, collections }, { kind: 'person' }).catch(() => undefined);
    const entries = await quarantined();
    expect(entries.map(({ kind }) => kind)).to.include('work');
    expect(entries.find(({ subject }) => subject === person)).to.include({ threadId: null });
    for (const { id } of entries) {
      expect(id).to.match(/^[\w-]{1,64}$/);
      await retryQuarantined(deps, { quarantineId: id });
    }
    await doAll(deps);
    expect(await quarantined()).to.deep.equal([]);
    expect(await readBody(deps.collections, `user/${said[0]!.author.id}`)).to.not.equal(null);
  });

  it('gives every kind of work an id by which it can be tried again', async () => {
    const { work } = deps.collections;
    const longest = '9'.repeat(20);
    const subjects = {
      member: `${longest}/${longest}`,
      mirror: `thread/${longest}`,
      channel: longest,
      server: 'all',
    } as const;
    for (const [kind, subject] of Object.entries(subjects)) {
      await setMarks(deps, kind as WorkKind, [subject]);
    }
    await work.updateMany({}, { $set: { tries: 5 } });
    await doAll(deps);
    const entries = await quarantined();
    const marked = Object.entries(subjects).map(([kind, subject]) => `${kind}/${subject}`);
    expect(entries.map(({ subject }) => subject)).to.have.members(marked);
    expect(new Set(entries.map(({ id }) => id)).size).to.equal(4);
    let transactions = 0;
    const { elasticsearch, logger } = deps;
    const onCommit = () => (transactions += 1);
    const access = createStoreAccess(stores.mongo, elasticsearch, { logger, onCommit });
    for (const { id } of entries) {
      const payload = { quarantineId: id };
      expect(jobSchemas['retry-quarantined'].validate(payload).error).to.equal(undefined);
      expect(await retryQuarantined({ ...deps, ...access }, payload)).to.deep.equal({ retried: 1 });
    }
    // Each of them wakes the loops of its process.
    expect(transactions).to.equal(4);
    await doAll(deps);
    expect(await quarantined()).to.deep.equal([]);
    expect(await work.countDocuments()).to.equal(0);
  });

  it('removes a quarantined thread from every view when something of it has to go', async () => {
    const { threadId, said } = await recordThread();
    await build(deps, threadId);
    const broken = failing(threadId);
    await change(threadId);
    expect(await build(broken, threadId)).to.equal(false);
    expect(await isListed(threadId)).to.equal(true);
    await deleteMessage(broken, { messageId: said[1]!._id });
    expect(await isListed(threadId)).to.equal(false);
    expect((await quarantined())[0]!.reason).to.not.contain('Cannot render');
    expect(await readBody(deps.collections, `thread/${threadId}`)).to.equal(null);
    await doAll(deps);
    expect(await deps.collections.contributions.countDocuments({ threadId })).to.equal(0);
    expect(await deps.collections.members.countDocuments()).to.equal(0);
  });

  it('hides a quarantined thread when somebody in it is left out, or its forum is withheld', async () => {
    const source = aSourceThread();
    const threadId = source.thread._id;
    const { _id: serverId } = source.server;
    const { _id: channelId } = source.channel;
    const author = anAuthor('rosalind');
    await record(deps, source, [aSourceMessage({ threadId, author })]);
    const told = { serverId, userId: author.id, asOf: 1 };
    const { signal } = new AbortController();
    const servers = new Map([[serverId, { optOutRoles: new Set(['1']) }]]);
    const optOut = () =>
      noteRoles({ ...deps, signal, servers, members: new Map() } as unknown as SyncDeps, {
        ...told,
        roleIds: ['1'],
      });
    const stamps = { name: liveTime(Date.now() * 1_000) };
    const { channels } = deps.collections;
    const withhold = async () => {
      await channels.updateOne({ _id: channelId }, { $set: { stamps } });
      const listed = new Map([[channelId, false]]);
      const looking = { ...deps, signal, servers: new Map() } as unknown as SyncDeps;
      await withholdChannels(looking, serverId, listed);
    };
    for (const leave of [optOut, withhold]) {
      await deps.collections.optOuts.deleteMany({});
      await stateOf(deps.collections.state, 'optOuts').deleteMany({});
      await setMarks(deps, 'thread', [threadId]);
      await deps.collections.work.updateMany({}, { $unset: { tries: '', failure: '' } });
      await doAll(deps);
      expect(await isListed(threadId), leave.name).to.equal(true);
      await quarantineDeadly(threadId);
      expect(await isListed(threadId), leave.name).to.equal(true);
      await leave();
      await doAll(deps);
      expect(await isListed(threadId), leave.name).to.equal(false);
      expect((await quarantined()).length, leave.name).to.equal(1);
      await deps.collections.work.deleteMany({});
    }
  });

  it('removes the words of a thread that ends its process when the thread is deleted', async () => {
    const { threadId } = await recordThread();
    await build(deps, threadId);
    await quarantineDeadly(threadId);
    await deleteThread(deps, { threadId });
    expect(await isListed(threadId)).to.equal(false);
    expect(await deps.collections.messages.distinct('content', { threadId })).to.deep.equal(['']);
  });

  it('overlooks nothing that has to go from a thread that is just being quarantined', async () => {
    const { threadId } = await recordThread();
    await build(deps, threadId);
    await change(threadId);
    let tried = 0;
    const broken = failing(threadId, () => {
      tried += 1;
      cannotRender();
    });
    let changing: Promise<void> | undefined;
    const late: IndexerDeps = {
      ...broken,
      async commit(change) {
        // Its last try has failed by now.
        if ((await markOf(threadId))?.tries === 5) {
          const causes = ['delete-message/1'];
          await (changing ??= setMarks(deps, 'thread', [threadId], { causes }));
        }
        return deps.commit(change);
      },
    };
    expect(await build(late, threadId)).to.equal(false);
    expect(tried).to.equal(6);
    expect(await isListed(threadId)).to.equal(false);
  });

  it('hides what an erasure that was cut off had cleaned, even if it was quarantined again since', async () => {
    const author = anAuthor('guest', { id: '777777777777777701' });
    const source = aSourceThread();
    const threadId = source.thread._id;
    await record(deps, source, [
      aSourceMessage({ threadId }),
      aSourceMessage({ threadId, author }),
    ]);
    await build(deps, threadId);
    const broken = failing(threadId);
    await change(threadId);
    expect(await build(broken, threadId)).to.equal(false);
    const erasureId = await requestErasure(deps.collections, author.id);
    const first = eraseUser(broken, { erasureId }, () => {
      throw new Error('The process ends');
    });
    expect(await first.catch(String)).to.include('The process ends');
    await change(threadId);
    expect(await build(broken, threadId)).to.equal(false);
    expect(await marks()).to.equal(0);
    await eraseUser(broken, { erasureId }, REPORT_NOBODY);
    expect(await readBody(deps.collections, `thread/${threadId}`)).to.equal(null);
  });

  it('rebuilds the search index without quarantined threads', async () => {
    const { threadId } = await recordThread();
    const other = await recordThread();
    await Promise.all([threadId, other.threadId].map((id) => build(deps, id)));
    const broken = failing(threadId);
    const { id: rebuildId } = await enterRebuild(deps.collections);
    expect(await reindexSearch(broken, { rebuildId })).to.deep.include({
      state: 'done',
      documents: 3,
    });
    expect((await quarantined()).map(({ subject }) => subject)).to.deep.equal([threadId]);
  });

  it('rebuilds the search index even if a thread ends the process that does', async () => {
    const { threadId } = await recordThread();
    const other = await recordThread();
    await Promise.all([threadId, other.threadId].map((id) => build(deps, id)));
    const { id: rebuildId } = await enterRebuild(deps.collections);
    // The scan ends the first process. The build that it was cut off in ends the others.
    expect(await runUntilItLives([threadId, 'rebuild', rebuildId], 4)).to.equal(3);
    expect(await findRebuild(deps.collections, rebuildId)).to.include({
      state: 'done',
      documents: 3,
    });
    expect((await quarantined()).map(({ subject }) => subject)).to.deep.equal([threadId]);
    expect(await isListed(threadId)).to.equal(true);
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

    it('quarantines a file whose import ends the process, and imports it when it is tried again', async () => {
      const { uploadId, threadId } = await queue();
      expect(await runUntilItLives([threadId, 'import', uploadId], 4)).to.equal(2);
      expect(await stateOf(uploadId)).to.equal('rejected');
      expect((await quarantined())[0]).to.include({ id: `file-${uploadId}`, count: 5 });
      await removeOrphanPieces(deps.collections, new Date(Date.now() + 2 * 86_400_000));

      await retryQuarantined(deps, { quarantineId: `file-${uploadId}` });
      expect(await stateOf(uploadId)).to.be.oneOf(['imported', 'unchanged']);
      const body = await readBody<ThreadDetail>(deps.collections, `thread/${threadId}`);
      expect(body?.messages).to.have.length(2);
      expect(await quarantined()).to.deep.equal([]);
      expect(await deps.collections.pieces.countDocuments()).to.equal(0);
    });

    /** Deps with which every import fails for a reason of its own. */
    const failingImports = (): IndexerDeps => ({
      ...deps,
      commit: (change) =>
        change.reads.servers ? Promise.reject(new TypeError('Cannot merge')) : deps.commit(change),
    });
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

    it('removes files that hold words of an erased person, and keeps the others', async () => {
      const theirs = await quarantineFile(gone);
      const other = await quarantineFile();
      expect(await uploads()).to.have.members([theirs.uploadId, other.uploadId]);
      // Exporters name files in this way: after the server, the forum and the thread.
      const name = 'Server - help - Ask Zyx [1].json';
      // A process was killed after it had noted how this file ended, and before it removed the upload.
      const ended = await queue(gone);
      await deps.collections.importFiles.updateOne(
        { _id: ended.uploadId },
        { $set: { state: 'imported' } },
      );
      const { importFiles } = deps.collections;
      await importFiles.updateOne({ _id: theirs.uploadId }, { $set: { name } });
      // The names of a person are not known who occurs only in a quarantined file.
      const source = aSourceThread();
      const author = anAuthor('zyx', { id: gone.id });
      await record(deps, source, [aSourceMessage({ threadId: source.thread._id, author })]);
      const erasureId = await requestErasure(deps.collections, gone.id);
      await eraseUser(deps, { erasureId }, REPORT_NOBODY);
      expect(await uploads()).to.deep.equal([other.uploadId]);
      expect((await quarantined()).map(({ subject }) => subject)).to.deep.equal([other.uploadId]);
      const file = await deps.collections.importFiles.findOne({ _id: theirs.uploadId });
      expect(file?.reason).to.match(/has to be handed in again$/);
      expect(file?.name).to.equal('Server - help - Ask deleted-user [1].json');
      expect(file?.state).to.equal('rejected');

      // This file is quarantined only afterwards.
      await quarantineFile(gone);
      expect(await uploads()).to.deep.equal([other.uploadId]);
    });

    it('removes files that hold a deleted thread, before the deletion is forgotten', async () => {
      const theirs = await quarantineFile();
      const other = await quarantineFile();
      const handlers = createHandlers(deps);
      await handlers['delete-thread']({ threadId: theirs.threadId });
      expect(await uploads()).to.deep.equal([other.uploadId]);
      expect((await quarantined()).map(({ subject }) => subject)).to.deep.equal([other.uploadId]);
      await handlers['delete-message']({ messageId: other.threadId });
      expect(await uploads()).to.deep.equal([]);
    });

    it('leaves a file to its import that is tried again just when its upload is removed', async () => {
      const { uploadId } = await quarantineFile(gone);
      const { work, importFiles } = deps.collections;
      const late: IndexerDeps = {
        ...deps,
        async commit(change) {
          // A release from quarantine does the same.
          await work.updateOne({}, { $set: { due: AT_ONCE } });
          await importFiles.updateOne({}, { $set: { state: 'queued' }, $unset: { reason: '' } });
          return deps.commit(change);
        },
      };
      expect(await removeUploadsOf(late, gone.id)).to.equal(0);
      expect(await fileMark(uploadId)).to.not.equal(null);
      expect(await importFiles.findOne({ _id: uploadId })).to.not.have.property('reason');
    });

    /** Deps with which uploads cannot be read. */
    const unread = (toArray: () => Promise<never>, own = deps) => {
      const pieces = { find: () => ({ toArray }) } as unknown as Collection<Piece>;
      return { ...own, collections: { ...own.collections, pieces } };
    };
    const fileMark = (uploadId: string) =>
      deps.collections.work.findOne({ _id: markId('file', uploadId) });
    /** Begins an import that goes on until it is cut off. */
    const begin = async (payload: { uploadId: string; importId: string }, own = deps) => {
      let fail = (_error: Error): void => undefined;
      let isReading = false;
      const endless = new Promise<never>((_resolve, reject) => {
        fail = reject;
      });
      const read = () => {
        isReading = true;
        return endless;
      };
      const ended = importFile(unread(read, own), payload).catch((error: unknown) => error);
      await until(() => isReading);
      return (error: Error) => {
        fail(error);
        return ended;
      };
    };
    const cutOff = (uploadId: string, tries: number) =>
      deps.collections.work.insertOne({
        _id: markId('file', uploadId),
        kind: 'file',
        subject: uploadId,
        token: 'x',
        at: new Date(),
        due: AT_ONCE,
        claim: 'of a process that ended',
        tries,
      });

    it('counts no try of a file whose process was stopped', async () => {
      const payload = await queue();
      await cutOff(payload.uploadId, 3);
      const end = await begin(payload);
      expect(await fileMark(payload.uploadId)).to.include({ tries: 4 });
      await giveUpClaims(deps);
      const mark = await fileMark(payload.uploadId);
      expect(mark).to.deep.include({ tries: 3, due: AT_ONCE }).and.not.have.property('claim');
      await end(new SearchUnavailable('The process ends'));
      expect(await fileMark(payload.uploadId)).to.deep.equal(mark);
    });

    it('imports a file once that is requested twice at the same time', async () => {
      const payload = await queue();
      const end = await begin(payload);
      const second = importFile(deps, payload);
      await end(new SearchUnavailable('away'));
      expect(await second).to.include({ state: 'imported' });
      expect(await fileMark(payload.uploadId)).to.equal(null);
    });

    it('imports files that were cut off one after the other, so that none is blamed for another', async () => {
      const [first, second] = [await queue(), await queue()];
      for (const { uploadId } of [first, second]) await cutOff(uploadId, 1);
      const end = await begin(first);
      const waiting = importFile(deps, second);
      // Meanwhile, a file that was not cut off can be imported.
      await importFile(deps, await queue());
      expect(await fileMark(second.uploadId)).to.include({ tries: 1 });
      await end(new SearchUnavailable('away'));
      expect(await waiting).to.include({ state: 'imported' });
    });

    it('counts no try of a file while a store is away', async () => {
      const payload = await queue();
      const away = unread(() => Promise.reject(new SearchUnavailable('away')));
      for (let n = 0; n < 7; n += 1) {
        const error: unknown = await importFile(away, payload).catch((e: unknown) => e);
        expect(error).to.be.instanceOf(SearchUnavailable);
      }
      expect(await fileMark(payload.uploadId)).to.not.have.any.keys('tries', 'claim');
      expect(await importFile(deps, payload)).to.include({ state: 'imported' });
    });

    it('counts no try of a file while MongoDB itself is away, and nothing can be recorded', async () => {
      const payload = await queue();
      const fail = new SearchUnavailable('away');
      let isAway = false;
      const flaky: IndexerDeps = {
        ...deps,
        commit: (change) => (isAway ? Promise.reject(fail) : deps.commit(change)),
      };
      for (let n = 0; n < 7; n += 1) {
        const end = await begin(payload, flaky);
        isAway = true;
        expect(await end(fail)).to.equal(fail);
        isAway = false;
        await endLeases();
      }
      expect(await fileMark(payload.uploadId)).to.include({ tries: 1 });
      expect(await importFile(deps, payload)).to.include({ state: 'imported' });
    });

    it('removes the mark of a file that was rejected for another reason', async () => {
      const payload = await queue();
      await cutOff(payload.uploadId, 1);
      const { importFiles } = deps.collections;
      await importFiles.updateOne({ _id: payload.uploadId }, { $set: { state: 'rejected' } });
      expect(await importFile(deps, payload)).to.equal(null);
      expect(await fileMark(payload.uploadId)).to.equal(null);
    });

    it('quarantines a file whose import always throws, and keeps its upload', async () => {
      const payload = await queue();
      const { uploadId } = payload;
      const broken = failingImports();
      for (let n = 0; n < 4; n += 1)
        expect(await importFile(broken, payload).catch(() => 'thrown')).to.equal('thrown');
      const outcome = await importFile(broken, payload);
      expect(outcome).to.include({ state: 'rejected' });
      expect(outcome?.reason).to.match(/^Quarantined after 5 tries\. TypeError/);
      expect(await deps.collections.pieces.countDocuments()).to.equal(1);
      await retryQuarantined(deps, { quarantineId: `file-${uploadId}` });
      expect(await stateOf(uploadId)).to.equal('imported');
    });
  });
});

function cannotRender(): never {
  throw new TypeError('Cannot render');
}

/** Runs the process once. Resolves with null where it ends by itself, else with the signal that killed it. */
function run(mongodbUrl: string, ...args: string[]): Promise<string | null> {
  const env = { ...process.env, MONGODB_URL: mongodbUrl };
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [PROCESS, ...args], { env }, (error, _out, stderr) => {
      if (child.signalCode === null && error) reject(new Error(stderr));
      else resolve(child.signalCode);
    });
  });
}
