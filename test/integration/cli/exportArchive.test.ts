import fs, { existsSync, statSync } from 'node:fs';
import { mkdir, open, readdir, readFile, symlink, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { expect } from 'chai';
import { exportArchive } from '../../../services/cli/export/exportArchive.js';
import { walkFiles } from '../../../services/cli/walkFiles.js';
import type { ExportChannel } from '../../../shared/exportFormat/exportTypes.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { MessageRecord, ThreadRecord } from '../../../shared/store/records.js';
import { beginRestore, endRestore } from '../../../shared/store/restore.js';
import { until } from '../../support/apiServer.js';
import { aChannel, aMessage, anAuthor, aServer, aThread, anId } from '../../support/factories.js';
import { leaveOut } from '../../support/leaveOut.js';
import { readsOfEach } from '../../support/readsOfEach.js';
import { runCli } from '../../support/runCli.js';
import { suiteStores } from '../../support/suiteStores.js';
import { rejectionOf, withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('exportArchive', () => {
  const stores = suiteStores('kept', { otherProcesses: true });
  const leftOut: [serverId: string, userId: string][] = [];
  afterEach(async () => {
    const { servers, channels, threads, messages } = stores.mongo.collections;
    await Promise.all([servers, channels, threads].map((kept) => kept.deleteMany({})));
    await messages.deleteMany({});
    for (const ids of leftOut.splice(0)) await leaveOut(stores.mongo, ...ids, false);
  });

  /** A thread with one message, in a forum and a server of its own. */
  const addThread = async (more: Partial<ThreadRecord> = {}): Promise<ThreadRecord> => {
    const { servers, channels, threads, messages } = stores.mongo.collections;
    const server = aServer();
    const channel = aChannel({ serverId: server._id });
    const thread = aThread({ serverId: server._id, channelId: channel._id, ...more });
    await servers.insertOne(server);
    await channels.insertOne(channel);
    await threads.insertOne(thread);
    await messages.insertOne(aMessage({ threadId: thread._id }));
    return thread;
  };

  const fileOf = ({ serverId, channelId, _id }: ThreadRecord): string =>
    join(serverId, channelId, `${_id}.json`);

  const ownerIn = (text: string): unknown =>
    (JSON.parse(text) as { channel: ExportChannel }).channel.ownerId;

  const filesIn = async (folder: string): Promise<string[]> =>
    (await walkFiles([folder])).map(({ path }) => relative(folder, path));

  it('leaves out a forum that is not public any more', () =>
    withTemporaryFolder(async (folder) => {
      const shown = await addThread();
      const { channelId } = await addThread();
      const { channels } = stores.mongo.collections;
      await channels.insertOne(aChannel({ serverId: shown.serverId, withheldAt: new Date() }));
      await channels.updateOne({ _id: channelId }, { $set: { withheldAt: new Date() } });
      const summary = await exportArchive(stores.mongo, folder, { force: false });
      expect(summary).to.deep.include({ threads: 1, messages: 1, forums: 0, leftOut: [] });
      expect(await filesIn(folder)).to.deep.equal([fileOf(shown)]);
    }));

  it('leaves out a forum soon after it has ceased to be public, while it runs', () =>
    withTemporaryFolder(async (folder) => {
      const first = await addThread();
      const { serverId, channelId } = first;
      const { collections } = stores.mongo;
      const others = Array.from({ length: 60 }, () => aThread({ serverId, channelId }));
      await collections.threads.insertMany(others);
      await collections.messages.insertMany(others.map(({ _id }) => aMessage({ threadId: _id })));
      const channels = Object.create(collections.channels) as Collections['channels'];
      channels.findOne = (async (...asked: Parameters<Collections['channels']['findOne']>) => {
        const found = await collections.channels.findOne(...asked);
        await collections.channels.updateOne(
          { _id: channelId },
          { $set: { withheldAt: new Date() } },
        );
        return found;
      }) as Collections['channels']['findOne'];
      const hiding = { collections: { ...collections, channels } };
      const summary = await exportArchive(hiding, folder, { force: false });
      expect(summary.threads).to.be.within(1, 20);
      expect(await filesIn(folder)).to.have.length(summary.threads);
    }));

  it('refuses an archive of which only a part is restored', () =>
    withTemporaryFolder(async (folder) => {
      const { collections } = stores.mongo;
      await addThread();
      const restore = await beginRestore(collections);
      expect(await rejectionOf(exportArchive(stores.mongo, folder, { force: false }))).to.match(
        /goes on, or was cut off: it is not whole yet$/,
      );
      await endRestore(collections, restore!);
      expect(await filesIn(folder)).to.deep.equal([]);
    }));

  it('leaves out and names a thread of which a record is damaged', () =>
    withTemporaryFolder(async (folder) => {
      const [whole, damaged, other] = [await addThread(), await addThread(), await addThread()];
      const { messages } = stores.mongo.collections;
      await messages.updateOne({ threadId: damaged._id }, { $set: { author: null as never } });
      await messages.updateOne({ threadId: other._id }, { $set: { content: 5 as never } });
      const summary = await exportArchive(stores.mongo, folder, { force: false });
      expect(summary).to.deep.include({ threads: 1, leftOut: [] });
      expect(summary.damaged).to.have.members([damaged._id, other._id]);
      expect(await filesIn(folder))
        .to.include(fileOf(whole))
        .and.not.include(fileOf(damaged));
    }));

  it('names the file for which there is no space', () =>
    withTemporaryFolder(async (folder) => {
      const file = join(folder, fileOf(await addThread()));
      await mkdir(dirname(file), { recursive: true });
      // The file is first written under this name.
      const partial = join(dirname(file), `.${basename(file)}.${process.pid}.partial`);
      await symlink('/dev/full', partial);
      const told = await rejectionOf(exportArchive(stores.mongo, folder, { force: true }));
      expect(told).to.equal(`${file} cannot be written: there is no space left`);
    }));

  it('leaves out messages of people who are left out of the server', () =>
    withTemporaryFolder(async (folder) => {
      const [own, shared] = [await addThread(), await addThread()];
      const { threads, messages } = stores.mongo.collections;
      for (const { _id, serverId } of [own, shared]) {
        const { author } = (await messages.findOne({ threadId: _id }))!;
        await threads.updateOne({ _id }, { $set: { ownerId: author.id } });
        await leaveOut(stores.mongo, serverId, author.id);
        leftOut.push([serverId, author.id]);
      }
      const theirs = (await messages.findOne({ threadId: shared._id }))!;
      const forwarded = { ...theirs, createdAt: null, stickers: [] };
      const reference: MessageRecord['reference'] = {
        messageId: theirs._id,
        channelId: null,
        guildId: null,
        type: 'forward',
      };
      const author = anAuthor('bob');
      const others = { threadId: shared._id, author, content: 'An answer', forwarded, reference };
      await messages.insertOne(aMessage(others));
      const summary = await exportArchive(stores.mongo, folder, { force: false });
      expect(summary).to.deep.include({ threads: 1, messages: 1, forums: 1, leftOut: [] });
      // A forum is shown even where none of its threads may be.
      const forum = join(own.serverId, own.channelId, 'forum.json');
      expect(await filesIn(folder)).to.have.members([forum, fileOf(shared)]);
      const written = await readFile(join(folder, fileOf(shared)), 'utf8');
      expect(written).to.contain('An answer');
      expect(written).not.to.contain(theirs.content);
      expect(ownerIn(written)).to.equal('0');
    }));

  it('writes 0 as the owner where the starter is left out, even if no owner is recorded', () =>
    withTemporaryFolder(async (folder) => {
      const thread = await addThread();
      const { messages } = stores.mongo.collections;
      const answer = (await messages.findOne({ threadId: thread._id }))!;
      const author = anAuthor('eve');
      // Between the starter and the answer, they have written more messages than are read at once.
      const more = Array.from({ length: 1_200 }, () => aMessage({ threadId: thread._id, author }));
      const starter = aMessage({ _id: thread._id, threadId: thread._id, author });
      await messages.insertMany([starter, ...more]);
      await messages.updateOne({ _id: answer._id }, { $set: { order: more.at(-1)!.order + '1' } });
      await leaveOut(stores.mongo, thread.serverId, author.id);
      leftOut.push([thread.serverId, author.id]);
      const summary = await exportArchive(stores.mongo, folder, { force: false });
      expect(summary).to.deep.include({ threads: 1, messages: 1 });
      expect(ownerIn(await readFile(join(folder, fileOf(thread)), 'utf8'))).to.equal('0');
    }));

  it('writes 0 as the owner where the starter is left out and is not the earliest message', () =>
    withTemporaryFolder(async (folder) => {
      const thread = await addThread();
      const { messages } = stores.mongo.collections;
      const author = anAuthor('eve');
      const starter = aMessage({ _id: thread._id, threadId: thread._id, author });
      await messages.insertOne({ ...starter, order: '9'.repeat(35) });
      await leaveOut(stores.mongo, thread.serverId, author.id);
      leftOut.push([thread.serverId, author.id]);
      await exportArchive(stores.mongo, folder, { force: false });
      expect(ownerIn(await readFile(join(folder, fileOf(thread)), 'utf8'))).to.equal('0');
    }));

  it('writes no owner where the starter is shown and no owner is recorded', () =>
    withTemporaryFolder(async (folder) => {
      const thread = await addThread();
      await leaveOut(stores.mongo, thread.serverId, anAuthor('eve').id);
      leftOut.push([thread.serverId, anAuthor('eve').id]);
      await exportArchive(stores.mongo, folder, { force: false });
      expect(ownerIn(await readFile(join(folder, fileOf(thread)), 'utf8'))).to.equal(undefined);
    }));

  it('leaves out a thread in which others only caused notices', () =>
    withTemporaryFolder(async (folder) => {
      const thread = await addThread();
      const { messages } = stores.mongo.collections;
      const { author } = (await messages.findOne({ threadId: thread._id }))!;
      await messages.insertOne(
        aMessage({ threadId: thread._id, author: anAuthor('bob'), type: 6, counted: false }),
      );
      await leaveOut(stores.mongo, thread.serverId, author.id);
      leftOut.push([thread.serverId, author.id]);
      const summary = await exportArchive(stores.mongo, folder, { force: false });
      expect(summary).to.deep.include({ threads: 0, messages: 0, forums: 1 });
      expect(await filesIn(folder)).not.to.include(fileOf(thread));
    }));

  it('includes a channel that is added while it runs', () =>
    withTemporaryFolder(async (folder) => {
      const first = await addThread();
      let added: ThreadRecord | undefined;
      const { collections } = stores.mongo;
      const threads = Object.create(collections.threads) as Collections['threads'];
      threads.estimatedDocumentCount = async () => {
        added = await addThread();
        return 1;
      };
      const growing = { collections: { ...collections, threads } };
      const summary = await exportArchive(growing, folder, { force: false });
      expect(summary).to.deep.include({ threads: 2, messages: 2, forums: 0, leftOut: [] });
      expect(await filesIn(folder)).to.have.members([fileOf(first), fileOf(added!)]);
    }));

  it('reads few threads by each call', () =>
    withTemporaryFolder(async (folder) => {
      const { threads } = stores.mongo.collections;
      const { serverId, channelId } = await addThread();
      const others = Array.from({ length: 100 }, () => aThread({ serverId, channelId }));
      await threads.insertMany(others);
      const read = await readsOfEach(stores.mongo, threads, async () => {
        const summary = await exportArchive(stores.mongo, folder, { force: false });
        expect(summary).to.deep.include({ messages: 1, leftOut: [] });
      });
      expect(Math.max(...read)).to.be.at.most(20);
    }));

  it('leaves no file that an import would read before it is complete', () =>
    withTemporaryFolder(async (folder) => {
      const thread = await addThread({ ownerId: anId() });
      const place = join(folder, thread.serverId, thread.channelId);
      let unfinished: string[] | undefined;
      const { collections } = stores.mongo;
      const messages = Object.create(collections.messages) as Collections['messages'];
      const slow = async function* (): AsyncGenerator<never> {
        await until(async () => (await readdir(place)).length > 0);
        unfinished = await filesIn(folder);
        yield* [];
      };
      messages.find = () => ({ sort: slow }) as never;
      const watched = { collections: { ...collections, messages } };
      await exportArchive(watched, folder, { force: false });
      expect(unfinished).to.deep.equal([]);
      expect(await filesIn(folder)).to.deep.equal([fileOf(thread)]);
    }));

  it('names a thread whose channel is not recorded, exports the others, and fails', () =>
    withTemporaryFolder(async (folder) => {
      const [kept, lost] = [await addThread(), await addThread()];
      await stores.mongo.collections.channels.deleteOne({ _id: lost.channelId });
      const { code, stdout } = await runCli({ MONGODB_URL: stores.mongodbUrl }, ['export', folder]);
      expect(code).to.equal(1);
      expect(stdout).to.match(/^Exported 1 thread, 1 message \(/);
      expect(stdout).to.include(
        `\nLeft out: 1 thread whose server or channel is not recorded\n  ${lost._id}\n`,
      );
      expect(await filesIn(folder)).to.deep.equal([fileOf(kept)]);
    }));

  it('resolves only when the disk holds its files, each before it gets its name, and all names', () =>
    withTemporaryFolder(async (root) => {
      const threads = [await addThread(), await addThread()];
      const folder = join(root, 'made', 'export');
      const files = threads.map((thread) => join(folder, fileOf(thread)));
      const inode = (path: string): number => statSync(path).ino;
      const named = (): number[] => files.filter((path) => existsSync(path)).map(inode);
      const synced = new Map<number, number[]>();
      await seeingSyncs(
        (synchronised) => synced.set(synchronised, named()),
        () => exportArchive(stores.mongo, folder, { force: false }),
      );
      for (const path of files) {
        expect(synced.get(inode(path)), path).to.not.equal(undefined);
        expect(synced.get(inode(path))).to.not.include(inode(path));
        for (const above of [
          path,
          join(path, '..'),
          join(path, '../..'),
          folder,
          dirname(folder),
        ].map(dirname))
          expect(synced.get(inode(above)), above).to.have.members(files.map(inode));
      }
    }));
});

/** Runs `work`, and calls `seen` with the inode of each file and folder that is to be written to the disk meanwhile. */
async function seeingSyncs(seen: (inode: number) => void, work: () => Promise<unknown>) {
  const handle = await open('.');
  const handles = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const { fsync } = fs;
  const sync: (this: FileHandle) => Promise<void> = Reflect.get(handles, 'sync');
  fs.fsync = Object.assign((fd: number, done: fs.NoParamCallback) => {
    seen(fs.fstatSync(fd).ino);
    fsync(fd, done);
  }, fsync);
  handles.sync = async function (this: FileHandle) {
    seen((await this.stat()).ino);
    await sync.call(this);
  };
  try {
    await work();
  } finally {
    fs.fsync = fsync;
    handles.sync = sync;
  }
}
