import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createHandlers } from '../../../services/indexer/handlers.js';
import { redactIfEmptied } from '../../../services/indexer/build/redactErasedThread.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { deleteMessage } from '../../../services/indexer/jobs/deleteMessage.js';
import { deleteChannel } from '../../../services/indexer/jobs/deletePlaces.js';
import { deleteThread } from '../../../services/indexer/jobs/deleteThread.js';
import { eraseUser } from '../../../services/indexer/jobs/eraseUser.js';
import { endFile, importFile } from '../../../services/indexer/jobs/importFile.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { claimMarks, setMarks } from '../../../services/indexer/work/claims.js';
import { SearchUnavailable } from '../../../services/indexer/stores/sendBulk.js';
import { erasedPeople, requestErasure } from '../../../shared/store/erasures.js';
import type { SourceThread } from '../../../shared/store/records.js';
import { newUploadId, storeUpload } from '../../../shared/store/uploads.js';
import { markId } from '../../../shared/store/work.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import type { ExportMessage } from '../../../shared/exportFormat/exportTypes.js';
import {
  anExport,
  anExportMessage,
  anExportUser,
  bytesOf,
  type RawExport,
} from '../../support/exportFiles.js';
import { until } from '../../support/apiServer.js';
import { dyingProcess } from '../../support/dyingDeps.js';
import { aSourceMessage, aSourceThread, anAuthor, anId } from '../../support/factories.js';
import { build, doAll, endLeases, prolongLeases, record } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('importFile', () => {
  const { deps } = indexerSuite();

  async function queue(root: RawExport | string) {
    const payload = { uploadId: newUploadId(), importId: 'import' };
    await storeUpload(deps.collections, payload.uploadId, bytesOf(root));
    await deps.collections.importFiles.insertOne({
      _id: payload.uploadId,
      importId: payload.importId,
      name: 'x.json',
      bytes: 1,
      state: 'queued',
      queuedAt: new Date(),
    });
    return payload;
  }

  it('records what became of the file, and deletes the upload', async () => {
    const payload = await queue(anExport());
    expect(await importFile(deps, payload)).to.include({ state: 'imported', messages: 1 });
    expect(await deps.collections.importFiles.findOne({ _id: payload.uploadId })).to.include({
      state: 'imported',
    });
    expect(
      await deps.collections.pieces.countDocuments({
        _id: { $regex: `^upload/${payload.uploadId}/` },
      }),
    ).to.equal(0);
  });

  it('leaves no mark of a file that has ended where its job runs again and the process dies', async () => {
    const payload = await queue(anExport());
    await importFile(deps, payload);
    const process = dyingProcess(deps);
    process.dieAt(2, false);
    let isOver = false;
    const again = importFile(process.deps, payload).finally(() => (isOver = true));
    again.catch(() => undefined);
    await until(() => isOver || process.isDead);
    process.bury();
    const mark = { _id: markId('file', payload.uploadId) };
    expect(await deps.collections.work.findOne(mark)).to.equal(null);
  });

  it('removes the name of a file that was taken, and keeps that of a rejected one', async () => {
    const { importFiles } = deps.collections;
    for (const [root, name] of [
      [anExport(), undefined],
      ['{', 'x.json'],
    ] as const) {
      const payload = await queue(root);
      await importFile(deps, payload);
      expect((await importFiles.findOne({ _id: payload.uploadId }))?.name).to.equal(name);
    }
  });

  describe('of a deleted place', () => {
    const nameOf = async (uploadId: string) =>
      (await deps.collections.importFiles.findOne({ _id: uploadId }))?.name;
    const rename = (uploadId: string, name: string) =>
      deps.collections.importFiles.updateOne({ _id: uploadId }, { $set: { name } });

    it('keeps only the id of its thread where its channel was deleted before', async () => {
      const root = anExport({ channel: { categoryId: anId() } });
      await importFile(deps, await queue(root));
      await deleteChannel(deps, { channelId: root.channel.categoryId! }, REPORT_NOBODY);
      const { id } = root.channel;
      const again = await queue(root);
      await rename(again.uploadId, `Quokka [${id}].json`);
      expect(await importFile(deps, again)).to.include({
        state: 'rejected',
        reason: 'The channel was deleted from this archive',
      });
      expect(await nameOf(again.uploadId)).to.equal(`${id}.json`);
    });

    it('keeps only the id of its thread where that is deleted later', async () => {
      const root = anExport();
      await importFile(deps, await queue(root));
      const { id } = root.channel;
      const [cut, other] = [await queue('{'), await queue('{')];
      const names = [`Quokka [${id}].json`, `Wombat [${anId()}].json`] as const;
      await rename(cut.uploadId, names[0]);
      await rename(other.uploadId, names[1]);
      for (const one of [cut, other]) await importFile(deps, one);
      expect(await nameOf(cut.uploadId)).to.equal(names[0]);
      await createHandlers(deps)['delete-thread']({ threadId: id });
      expect(await nameOf(cut.uploadId)).to.equal(`${id}.json`);
      expect(await nameOf(other.uploadId)).to.equal(names[1]);
    });

    it('keeps only the id of its thread where an erasure removes that', async () => {
      const author = { ...anExportMessage().author, id: anId() };
      const root = anExport({ messages: [anExportMessage({ author })] });
      await importFile(deps, await queue(root));
      const { id } = root.channel;
      const cut = await queue('{');
      await rename(cut.uploadId, `Quokka [${id}].json`);
      await importFile(deps, cut);
      const erasureId = await requestErasure(deps.collections, author.id);
      await eraseUser(deps, { erasureId }, REPORT_NOBODY);
      expect(await deps.collections.threads.findOne({ _id: id })).to.include({ deleted: true });
      expect(await nameOf(cut.uploadId)).to.equal(`${id}.json`);
    });
  });

  it('does nothing the second time', async () => {
    const payload = await queue(anExport());
    await importFile(deps, payload);
    expect(await importFile(deps, payload)).to.equal(null);
  });

  it('rejects a damaged file and a missing upload at once, because no try can help', async () => {
    const damaged = await queue(JSON.stringify(anExport()).slice(0, -9));
    expect(await importFile(deps, damaged)).to.include({ state: 'rejected' });
    const missing = await queue(anExport());
    await deps.collections.pieces.deleteMany({});
    expect(await importFile(deps, missing)).to.include({ state: 'rejected' });
  });

  it('keeps the outcome of a file that was imported twice at once, and ended first elsewhere', async () => {
    const payload = await queue(anExport());
    const { importFiles } = deps.collections;
    const ends = await Promise.all([importFile(deps, payload), importFile(deps, payload)]);
    expect(ends.map((end) => end?.state))
      .to.include('imported')
      .and.not.include('rejected');
    const ended = await importFiles.findOne({ _id: payload.uploadId });
    // A late worker that has lost its claim finds no upload any more.
    const { uploadId: subject } = payload;
    const mark = { _id: markId('file', subject), kind: 'file' as const, subject, token: 'x' };
    const claimed = { ...mark, at: new Date(), due: new Date(), claim: 'x' };
    const late = { state: 'rejected', reason: 'It is not there' } as const;
    expect(await endFile(deps, claimed, late)).to.equal(null);
    expect(await importFiles.findOne({ _id: payload.uploadId })).to.deep.equal(ended);
  });

  it('ends only when its thread is built, even if the change was made by a try that was cut off', async () => {
    const message = anExportMessage();
    const root = anExport({ messages: [message] });
    await importFile(deps, await queue(root));
    const { messages, work } = deps.collections;
    const content = 'written before the crash';
    await messages.updateOne({ _id: message.id }, { $set: { content } });
    await setMarks(deps, 'thread', [message.id]);
    await claimMarks(deps, await work.find({ subject: message.id }).toArray());
    await prolongLeases(deps, message.id);
    const payload = await queue({ ...root, messages: [{ ...message, content }] });
    const importing = importFile(deps, payload);
    await pause(500);
    expect(await deps.collections.importFiles.findOne({ _id: payload.uploadId })).to.include({
      state: 'queued',
    });
    await endLeases(deps, message.id);
    await importing;
    const body = await readBody<ThreadDetail>(deps.collections, `thread/${message.id}`);
    expect(body?.messages[0]?.content).to.equal(content);
  });

  it('reports a change that was made by a try that was cut off, and none where none was made', async () => {
    const root = anExport();
    const payload = await queue(root);
    const error = new SearchUnavailable('away');
    const search = { ...deps.search, write: () => Promise.reject(error) };
    expect(await importFile({ ...deps, search }, payload).catch((e: unknown) => e)).to.equal(error);
    expect(await importFile(deps, payload)).to.include({ state: 'imported' });
    const again = await queue(root);
    expect(await importFile(deps, again)).to.include({ state: 'unchanged' });
  });

  describe('of a thread that somebody started who was erased', () => {
    const title = 'Unspeakable title';
    const gone = anExportUser({ id: anId(), name: 'goner' });
    const aPart = (exportedAt: string, messages: ExportMessage[], name = title) => ({
      ...anExport({ messages, channel: { name } }),
      exportedAt,
    });
    const of = async (root: RawExport) => (await importFile(deps, await queue(root)))?.state;
    const bodyOf = (threadId: string) =>
      readBody<ThreadDetail>(deps.collections, `thread/${threadId}`);
    const recordOf = (threadId: string) => deps.collections.threads.findOne({ _id: threadId });
    const [early, late, latest] = ['2026-01-01', '2026-01-02', '2026-01-03'].map(
      (day) => `${day}T00:00:00Z`,
    ) as [string, string, string];
    const aThread = () => {
      const theirs = anExportMessage({ author: gone });
      return { threadId: theirs.id, theirs, reply: anExportMessage({ content: 'Open words' }) };
    };
    before(async () => {
      const erasureId = await requestErasure(deps.collections, gone.id);
      await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    });

    it('takes what others wrote, in whatever order the files come', async () => {
      for (const isOlderFirst of [true, false]) {
        const { threadId, theirs, reply } = aThread();
        const parts = [aPart(early, [theirs]), aPart(late, [theirs, reply])];
        for (const root of isOlderFirst ? parts : parts.reverse())
          expect(await of(root)).to.not.equal('rejected');
        const body = await bodyOf(threadId);
        expect(body?.messages.map(({ content }) => content)).to.deep.equal(['Open words']);
        expect(body?.author).to.include({ id: '0' });
      }
    });

    it('shows nothing of it, and keeps no word of its title, until others wrote in it', async () => {
      const { threadId, theirs, reply } = aThread();
      for (const state of ['imported', 'unchanged']) {
        expect(await of(aPart(early, [theirs]))).to.equal(state);
        expect(await bodyOf(threadId)).to.equal(null);
        expect(await deps.collections.threadItems.findOne({ _id: threadId })).to.equal(null);
        const record = await recordOf(threadId);
        expect(record).to.include({ ownerId: '0' }).and.not.have.property('deleted');
        expect(JSON.stringify(record)).to.not.contain(title);
      }
      await of(aPart(late, [theirs, reply]));
      await doAll(deps);
      expect(await bodyOf(threadId)).to.include({ title: 'thread', messageCount: 1 });
      expect(JSON.stringify(await recordOf(threadId))).to.not.contain(title);
      // The new name of the thread is not a word of the erased person.
      await of(aPart(latest, [theirs, reply], 'A new name'));
      expect(await bodyOf(threadId)).to.include({ title: 'A new name' });
    });

    it('does the same where a file tells neither its starter message nor its owner', async () => {
      const threadId = anId();
      const ofThread = (exportedAt: string, messages: ExportMessage[]) => ({
        ...anExport({ messages, channel: { id: threadId, name: title } }),
        exportedAt,
      });
      const theirs = anExportMessage({ author: gone, type: '21', content: '' });
      expect(await of(ofThread(early, [theirs]))).to.equal('imported');
      expect(await bodyOf(threadId)).to.equal(null);
      expect(JSON.stringify(await recordOf(threadId))).to.not.contain(title);
      await of(ofThread(late, [theirs, anExportMessage({ content: 'Open words' })]));
      await doAll(deps);
      const body = await bodyOf(threadId);
      expect(body).to.include({ title: 'thread', messageCount: 1 });
      expect(body?.author).to.include({ id: '0' });
    });

    it('leaves the title of a thread of somebody else, even if a file tells no message of it yet', async () => {
      const channel = { id: anId(), name: 'Still empty' };
      expect(await of({ ...anExport({ messages: [], channel }), exportedAt: early })).to.equal(
        'imported',
      );
      expect(await recordOf(channel.id)).to.include({ title: 'Still empty' });
    });

    it('removes a title that is shown meanwhile, and gives none to a deleted thread', async () => {
      const author = anAuthor('goner', { id: gone.id });
      /** Redacts the title of a thread while something happens to it. */
      const redact = async (
        happens: (source: SourceThread, threadId: string) => Promise<unknown>,
      ) => {
        const source = aSourceThread({ thread: { title, ownerId: gone.id } });
        const threadId = source.thread._id;
        await record(deps, source, [aSourceMessage({ _id: threadId, threadId, author })]);
        await build(deps, threadId);
        const slow: IndexerDeps = {
          ...deps,
          async commit(change) {
            await happens(source, threadId);
            return deps.commit(change);
          },
        };
        const erased = await erasedPeople(deps.collections);
        await redactIfEmptied(slow, (await recordOf(threadId))!, erased, []);
        return threadId;
      };
      const shown = await redact(async (source, threadId) => {
        await record(deps, source, [aSourceMessage({ threadId })]);
        await build(deps, threadId);
        expect(await bodyOf(threadId)).to.include({ title });
      });
      await doAll(deps);
      expect(await bodyOf(shown)).to.include({ title: 'thread' });
      const deleted = await redact((_, threadId) => deleteThread(deps, { threadId }));
      expect(await recordOf(deleted)).to.include({ deleted: true, title: '' });
    });

    it('keeps the thread as the erasure itself left it', async () => {
      const writer = anExportUser({ id: anId(), name: 'writer' });
      const { threadId, reply } = aThread();
      const theirs = anExportMessage({ id: threadId, author: writer });
      await of(aPart(early, [theirs]));
      const erasureId = await requestErasure(deps.collections, writer.id);
      await eraseUser(deps, { erasureId }, REPORT_NOBODY);
      expect(await recordOf(threadId)).to.include({ deleted: true });
      await of(aPart(late, [theirs, reply]));
      expect(await bodyOf(threadId)).to.equal(null);
    });
  });

  describe('of a forward that is forwarded in turn', () => {
    const forward = (messageId: string, channelId: string, copy?: string) =>
      anExportMessage({
        content: '',
        reference: { type: 'Forward', messageId, channelId },
        ...(copy !== undefined && { forwardedMessage: { content: copy } }),
      });
    const fileOf = (message: ExportMessage, day = 1) => ({
      ...anExport({ messages: [message] }),
      exportedAt: `2026-01-0${day}T00:00:00Z`,
    });
    /** Files of two threads. `early` and `late` tell the first forward, without its copy and with it. */
    function aChain() {
      const original = anExportMessage({ content: 'Open words' });
      const first = forward(original.id, original.id, original.content);
      const second = forward(first.id, first.id, original.content);
      const { forwardedMessage: _copy, ...untold } = first;
      const files = { early: fileOf(untold), late: fileOf(first, 2), other: fileOf(second) };
      return { original, ids: [first.id, second.id], files };
    }
    const take = async (...files: RawExport[]) => {
      for (const file of files) await importFile(deps, await queue(file));
      await doAll(deps);
    };
    const forwardedIn = async (threadId: string) => {
      const body = await readBody<ThreadDetail>(deps.collections, `thread/${threadId}`);
      return body?.messages.map(({ forwarded }) => forwarded && forwarded.content);
    };
    const keptIn = async (threadId: string) =>
      (await deps.collections.messages.findOne({ _id: threadId }))?.forwarded;

    for (const order of ['early other late', 'late early other', 'other late early'])
      it(`shows both forwards, in whatever order the files come: ${order}`, async () => {
        const { ids, files } = aChain();
        await take(...order.split(' ').map((name) => files[name as keyof typeof files]));
        for (const id of ids) expect(await forwardedIn(id)).to.deep.equal(['Open words']);
      });

    it('shows no copy that no file tells, and keeps no copy of it when the original is deleted', async () => {
      const { original, ids, files } = aChain();
      await take(fileOf(original), files.early, files.other);
      const [first, second] = ids as [string, string];
      expect(await forwardedIn(first)).to.deep.equal([null]);
      expect(await forwardedIn(second)).to.deep.equal(['Open words']);
      await deleteMessage(deps, { messageId: original.id });
      await doAll(deps);
      for (const id of ids) expect(await keptIn(id)).to.equal(null);
      // Files that tell the forwards once more, or another one, do not bring the copy back.
      const third = forward(first, first, 'Open words');
      await take(files.late, files.early, files.other, fileOf(third));
      for (const id of [...ids, third.id]) expect(await keptIn(id)).to.equal(null);
    });
  });

  it('is rejected where its channel is deleted while it is read, and leaves none of its words', async () => {
    const messages = Array.from({ length: 3 }, () => anExportMessage());
    const channel = { categoryId: anId() };
    await importFile(deps, await queue(anExport({ channel })));
    const payload = await queue(anExport({ channel, messages }));
    const [end] = await Promise.all([
      importFile(deps, payload),
      deleteChannel(deps, { channelId: channel.categoryId }, REPORT_NOBODY),
    ]);
    const again = await importFile(deps, await queue(anExport({ channel, messages })));
    expect(again).to.include({ state: 'rejected' });
    expect(end?.state).to.be.oneOf(['rejected', 'imported']);
    await doAll(deps);
    const left = { _id: { $in: messages.map(({ id }) => id) }, deleted: { $ne: true } };
    expect(await deps.collections.messages.countDocuments(left)).to.equal(0);
  });
});
