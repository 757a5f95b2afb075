import { mkdirSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { deleteMessage } from '../../../services/indexer/jobs/deleteMessage.js';
import { eraseUser } from '../../../services/indexer/jobs/eraseUser.js';
import { copyFiles } from '../../../services/indexer/mirror/copyFiles.js';
import { askToLookThrough, lookThrough } from '../../../services/indexer/mirror/lookThrough.js';
import type { Mirror } from '../../../services/indexer/mirror/mirror.js';
import { retryFiles } from '../../../services/indexer/mirror/mirrorFiles.js';
import { wantedFiles } from '../../../services/indexer/mirror/wantedFiles.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { claimMarks, setMarks } from '../../../services/indexer/work/claims.js';
import { runClaimed, runDue } from '../../../services/indexer/work/runMarks.js';
import { PlatformForbidden } from '../../../shared/discordApi/platformErrors.js';
import { newKey } from '../../../shared/mirror/fileNames.js';
import { createFolderFiles } from '../../../shared/mirror/folderFiles.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import type { AttachmentRecord, SourceMessage } from '../../../shared/store/records.js';
import { stateOf } from '../../../shared/store/state.js';
import { syncOf, type SyncFile } from '../../../shared/store/syncRecords.js';
import { markId, MOST_TRIES, NEVER } from '../../../shared/store/work.js';
import { atOtherTime } from '../../support/atOtherTime.js';
import { until } from '../../support/apiServer.js';
import { aSourceMessage, aSourceThread, anAuthor, anId } from '../../support/factories.js';
import { bytesOf, fail, give, startFileServer, type FileServer } from '../../support/fileServer.js';
import { anotherProcess, endLeases, indexerDeps, record } from '../../support/indexerDeps.js';
import { leaveOut } from '../../support/leaveOut.js';
import {
  aFile,
  aFolder,
  doDue,
  LIVE,
  pathOf,
  storedKeys,
  withMirror,
} from '../../support/mirrorRig.js';
import { emptyMongo, openStores, type TestStores } from '../../support/stores.js';
import { bringToRest, verifyNow } from '../../support/verifiedArchive.js';

type Deps = IndexerDeps & { mirror: Mirror };

describe('the mirror', () => {
  let stores: TestStores;
  let server: FileServer;
  let base: IndexerDeps;
  let deps: Deps;
  let close: () => Promise<void>;
  let env: Record<string, string>;
  before(async () => {
    stores = await openStores();
    base = indexerDeps(stores);
    server = await startFileServer();
  });
  beforeEach(async () => {
    const place = await aFolder();
    close = () => place.close();
    env = { ...place.env, DISCORD_CDN_URL: server.url };
    deps = await withMirror(base, env);
    server.requests.length = 0;
    server.answers.clear();
  });
  afterEach(async () => {
    await emptyMongo(stores.mongo);
    await close();
  });
  after(async () => {
    await server.close();
    await stores.close();
  });

  /** Records a thread in which each message has one of these attachments, and does all work that is due. */
  async function aThreadWith(
    files: (threadId: string) => AttachmentRecord[],
    more: Partial<SourceMessage> = {},
  ) {
    const threadId = anId();
    const source = aSourceThread({ thread: { _id: threadId } });
    const attachments = files(threadId);
    const messages = attachments.map((file, n) =>
      aSourceMessage({
        _id: n === 0 ? threadId : anId(),
        threadId,
        attachments: [file],
        asOf: LIVE,
        ...more,
      }),
    );
    await record(deps, source, messages);
    await doDue(deps);
    const { serverId, channelId } = source.thread;
    return { threadId, serverId, channelId, attachments, messages };
  }
  const records = () =>
    syncOf(deps.collections.sync, 'file').find({ kind: 'file' }).sort({ _id: 1 }).toArray();
  const totals = async () => {
    const state = await stateOf(deps.collections.state, 'mirror').findOne({ _id: 'mirror' });
    return { files: state?.files ?? 0, bytes: state?.bytes ?? 0, failed: state?.failed ?? 0 };
  };
  const stored = () => storedKeys(deps.mirror.files);
  const waiting = () => deps.collections.work.countDocuments({ kind: 'mirror' });

  /** Lets two days pass. */
  async function wait() {
    const { sync, work } = deps.collections;
    const failed = { kind: 'file' as const, dueAt: { $exists: true } };
    await syncOf(sync, 'file').updateMany(failed, { $set: { dueAt: new Date(0) } });
    await work.updateMany({ kind: 'mirror' }, { $set: { due: new Date(0) } });
    deps.mirror.pause.until = 0;
    await retryFiles(deps);
    await doDue(deps);
  }

  it('copies each file that a thread shows once, and counts it', async () => {
    const { attachments, threadId } = await aThreadWith((id) => [
      aFile(server.url, id),
      aFile(server.url, id, { filename: '../../etc/passwd\r\n.png' }),
    ]);
    const found = await records();
    expect(found.map(({ copy, of }) => [copy?.type, of])).to.deep.equal([
      ['image/png', `thread/${threadId}`],
      ['image/png', `thread/${threadId}`],
    ]);
    const bytes = attachments.map((file) => bytesOf(pathOf(file)).length);
    expect(await totals()).to.deep.equal({ files: 2, bytes: bytes[0]! + bytes[1]!, failed: 0 });
    expect((await stored()).sort()).to.deep.equal(found.map(({ copy }) => copy!.key).sort());
    expect(await waiting()).to.equal(0);

    await setMarks(deps, 'mirror', [`thread/${threadId}`]);
    await doDue(deps);
    expect(server.requests.sort()).to.deep.equal(attachments.map(pathOf).sort());
    await bringToRest(deps, stores);
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
  });

  it('copies no other types, and no files that are too large, whatever size is announced', async () => {
    const limits = { MIRROR_TYPES: 'image/*', MIRROR_MAX_FILE_MB: '1' };
    deps = await withMirror(base, { ...env, ...limits });
    const { attachments } = await aThreadWith((id) => [
      aFile(server.url, id, { contentType: 'application/zip' }),
      aFile(server.url, id, { contentType: null }),
      aFile(server.url, id, { size: 1_000_001 }),
    ]);
    expect(attachments).to.have.length(3);
    expect(server.requests).to.deep.equal([]);
    expect(await records()).to.deep.equal([]);

    await aThreadWith((id) => {
      const lies = aFile(server.url, id);
      server.answers.set(pathOf(lies), give(Buffer.alloc(1_000_001), 'image/png'));
      const script = aFile(server.url, id);
      server.answers.set(pathOf(script), give(Buffer.from('<script>'), 'text/javascript'));
      return [lies, script];
    });
    const found = (await records()).map(({ problem, dueAt }) => [problem, dueAt !== undefined]);
    expect(found).to.have.deep.members([
      ['It is larger than MIRROR_MAX_FILE_MB', false],
      ['Its type is text/javascript', true],
    ]);
    expect(await totals()).to.deep.equal({ files: 0, bytes: 0, failed: 2 });
    expect(await stored()).to.deep.equal([]);
    expect(readdirSync(deps.mirror.files.incoming)).to.deep.equal([]);
  });

  it('never exceeds its size limit, and continues when there is room', async () => {
    deps.mirror.maxTotalBytes = 100;
    const give60 = (file: AttachmentRecord) => {
      server.answers.set(pathOf(file), give(Buffer.alloc(60), 'image/png'));
      return file;
    };
    // The sizes in the records are too small, so only the bytes themselves show the true size.
    const { messages } = await aThreadWith((id) => [
      give60(aFile(server.url, id)),
      give60(aFile(server.url, id)),
    ]);
    expect(await totals()).to.deep.equal({ files: 1, bytes: 60, failed: 1 });
    expect(await stored()).to.have.length(1);
    expect(await waiting()).to.equal(0);

    const found = await records();
    expect(found.map(({ problem }) => problem)).to.have.members([undefined, 'The mirror is full']);
    const messageId = found.find(({ copy }) => copy)!._id.split('/')[2]!;
    expect(messages.map(({ _id }) => _id)).to.include(messageId);
    await deleteMessage(deps, { messageId });
    expect(await stored()).to.deep.equal([]);
    await wait();
    expect(await totals()).to.deep.equal({ files: 1, bytes: 60, failed: 0 });
    expect(await waiting()).to.equal(0);
    // A file whose recorded size is too large is not fetched.
    server.requests.length = 0;
    await aThreadWith((id) => [aFile(server.url, id, { size: 60 })]);
    expect(server.requests).to.deep.equal([]);
  });

  it('stops asking for files once a few have failed in a row', async () => {
    await aThreadWith((id) =>
      Array.from({ length: 20 }, () => {
        const file = aFile(server.url, id);
        server.answers.set(pathOf(file), fail(500));
        return file;
      }),
    );
    expect(server.requests).to.have.length.within(3, 10);
    expect(await waiting()).to.equal(1);
  });

  it('pauses while the mirror accepts nothing, however few files a thread has, and then continues', async () => {
    const { files } = deps.mirror;
    const full = () => Promise.reject(new Error('no space left on device'));
    deps.mirror.files = { ...files, put: full };
    for (let thread = 0; thread < 6; thread += 1)
      await aThreadWith((id) => [aFile(server.url, id)]);
    expect(server.requests).to.have.length(3);
    expect(await totals()).to.deep.equal({ files: 0, bytes: 0, failed: 3 });
    expect(await waiting()).to.be.above(2);
    deps.mirror.files = files;
    await wait();
    expect(await totals()).to.include({ files: 6, failed: 0 });
  });

  it('asks again within minutes for what the folder did not take, however long it could not be written', async () => {
    // The system makes no folder there.
    const { files } = deps.mirror;
    const locked = createFolderFiles('/proc', 'mirror');
    deps.mirror.files = { ...files, put: (...file) => locked.put(...file) };
    await aThreadWith((id) => [aFile(server.url, id)]);
    for (let day = 0; day < 12; day += 1) await wait();
    const [failed] = await records();
    expect(failed).to.include({ tries: 13 });
    expect(failed!.dueAt!.getTime()).to.be.below(Date.now() + 601_000);
  });

  it('copies a file again that a killed worker was removing and that is shown again', async () => {
    const { threadId, attachments } = await aThreadWith((id) => [aFile(server.url, id)]);
    const again = async () => {
      await syncOf(deps.collections.sync, 'file').updateMany({}, { $set: { gone: true } });
      await deps.mirror.files.remove(await stored());
      await setMarks(deps, 'mirror', [`thread/${threadId}`]);
      await doDue(deps);
      return { stored: await stored(), copies: (await records()).map(({ copy }) => copy?.key) };
    };
    const { stored: keys, copies } = await again();
    expect(keys).to.have.length(1).and.deep.equal(copies);
    server.answers.set(pathOf(attachments[0]!), fail(500));
    expect(await again()).to.deep.equal({ stored: [], copies: [undefined] });
  });

  for (const moment of ['before', 'while'] as const)
    it(`keeps the copy of a file whose message has moved, made ${moment} a worker removes the copy of its former thread`, async () => {
      const [wrong, right, id] = [anId(), anId(), anId()];
      // A forged export has put the message into a wrong thread. Now the platform tells of it in the right one.
      for (const [threadId, asOf] of [
        [wrong, 1],
        [right, LIVE],
      ] as const) {
        const attachments = [aFile(server.url, threadId, { id })];
        const message = aSourceMessage({ _id: right, threadId, attachments, asOf });
        await record(deps, aSourceThread({ thread: { _id: threadId } }), [message]);
        if (threadId === wrong) await doDue(deps);
      }
      expect((await records()).map(({ of }) => of)).to.deep.equal([`thread/${wrong}`]);
      await setMarks(deps, 'mirror', [`thread/${wrong}`]);
      const { work } = deps.collections;
      const claimed = await claimMarks(deps, await work.find({ kind: 'mirror' }).toArray());
      const other = { ...anotherProcess(deps, stores), mirror: deps.mirror };
      let copying: Promise<unknown> | undefined;
      const copyNow = async () => {
        await setMarks(deps, 'mirror', [`thread/${right}`]);
        await runDue(other, {}, ['mirror']);
      };
      const { files } = deps.mirror;
      const late: Deps = {
        ...deps,
        async commit(change) {
          if (moment === 'before') await (copying ??= copyNow());
          return deps.commit(change);
        },
        mirror: {
          ...deps.mirror,
          files: {
            ...files,
            async remove(keys) {
              await files.remove(keys);
              await (copying ??= copyNow());
            },
          },
        },
      };
      await runClaimed(late, 'mirror', claimed);
      const [found] = await records();
      expect(found).to.include({ of: `thread/${right}` });
      expect(await stored()).to.deep.equal([found?.copy?.key]);
      expect(await totals()).to.include({ files: 1 });
    });

  it('forgets no removal that is requested while it removes something else', async () => {
    const { threadId } = await aThreadWith((id) => [aFile(server.url, id)]);
    const subject = `thread/${threadId}`;
    const ask = (cause: string) => setMarks(deps, 'mirror', [subject], { causes: [cause] });
    const { work } = deps.collections;
    await ask('delete-message/1');
    const claimed = await claimMarks(deps, await work.find({ subject }).toArray());
    let asking: Promise<void> | undefined;
    const late: IndexerDeps = {
      ...deps,
      // It has removed the files that were to be removed when it began.
      async commit(change) {
        await (asking ??= ask('delete-message/2'));
        return deps.commit(change);
      },
    };
    await runClaimed(late, 'mirror', claimed);
    expect((await work.findOne({ subject }))?.causes).to.include('delete-message/2');
  });

  it('tries failed files again after growing delays, but not files that are gone', async () => {
    const { attachments } = await aThreadWith((id) => {
      const [gone, ill] = [aFile(server.url, id), aFile(server.url, id)];
      server.answers.set(pathOf(gone), fail(404));
      server.answers.set(pathOf(ill), fail(500));
      return [gone, ill];
    });
    const [gone, ill] = attachments.map(pathOf);
    const asked = (path: string | undefined) =>
      server.requests.filter((one) => one === path).length;
    expect(await totals()).to.deep.equal({ files: 0, bytes: 0, failed: 2 });
    await doDue(deps);
    expect([asked(gone), asked(ill)]).to.deep.equal([1, 1]);
    await wait();
    expect([asked(gone), asked(ill)]).to.deep.equal([1, 2]);
    const [tried] = (await records()).filter(({ dueAt }) => dueAt);
    expect(tried).to.include({ tries: 2, problem: 'The platform answers 500' });
    expect(tried!.dueAt!.getTime()).to.be.above(Date.now() + 60_000);
    server.answers.clear();
    await wait();
    expect([asked(gone), asked(ill)]).to.deep.equal([1, 3]);
    expect(await totals()).to.include({ files: 1, failed: 1 });
    expect(await waiting()).to.equal(0);
  });

  it('tries files again, and looks through the mirror, after a clock was ahead for a while', async () => {
    const year = 365 * 86_400_000;
    await atOtherTime(year, async () => {
      await aThreadWith((id) => {
        const file = aFile(server.url, id);
        server.answers.set(pathOf(file), fail(500));
        return [file];
      });
      await askToLookThrough(deps);
      await doDue(deps);
    });
    expect(await totals()).to.deep.equal({ files: 0, bytes: 0, failed: 1 });
    server.answers.clear();
    await deps.collections.work.deleteMany({});
    await retryFiles(deps);
    await doDue(deps);
    expect(await totals()).to.include({ files: 1, failed: 0 });
    expect(await waiting()).to.equal(0);
    await askToLookThrough(deps);
    expect(await waiting()).to.equal(1);
  });

  it('begins no further file when its time is over, however slowly files arrive', async () => {
    deps.mirror.pause.until = Infinity;
    const { threadId, attachments } = await aThreadWith((id) =>
      Array.from({ length: 12 }, () => aFile(server.url, id)),
    );
    deps.mirror.pause.until = 0;
    for (const path of attachments.map(pathOf)) {
      const answer = give(bytesOf(path), 'image/png');
      server.answers.set(path, (...exchange) => setTimeout(() => answer(...exchange), 300));
    }
    const subject = `thread/${threadId}`;
    const { work } = deps.collections;
    await work.updateMany({ kind: 'mirror' }, { $set: { due: new Date(0) } });
    const waits = await work.findOne({ _id: markId('mirror', subject) });
    const [mark] = await claimMarks(deps, [waits!]);
    const missing = (await wantedFiles(deps, subject)).map((file) => ({
      file,
      record: undefined,
    }));
    const slice = { wanted: missing, end: performance.now() + 100 };
    expect(await copyFiles(deps, deps.mirror, mark!, slice)).to.equal(true);
    expect(server.requests).to.have.length(4);
    expect(await totals()).to.include({ files: 4 });
  });

  it('tries failed files again, even if they are more than one answer of MongoDB can name', async () => {
    const failed = Array.from({ length: 900 }, (_, n): SyncFile => {
      const of = `thread/${n}${'0'.repeat(20_000)}`;
      return { _id: `file/${n}`, kind: 'file', of, source: '', problem: 'x', dueAt: new Date(0) };
    });
    await syncOf(deps.collections.sync, 'file').insertMany(failed);
    await retryFiles(deps);
    expect(await waiting()).to.equal(failed.length);
  });

  it('logs why a file could not be copied, at most once a minute', async () => {
    const lines: string[] = [];
    deps.logger = createLogger('indexer', 'warn', { write: (line) => void lines.push(line) });
    deps.mirror.files.put = () => Promise.reject(new Error('no space left on device'));
    const { threadId } = await aThreadWith((id) => [aFile(server.url, id), aFile(server.url, id)]);
    expect(await totals()).to.include({ files: 0, failed: 2 });
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(told).to.have.length(1);
    expect(told[0]).to.include({ level: 40, subject: `thread/${threadId}` });
    expect(told[0]!['err']).to.include({ message: 'no space left on device' });
  });

  it('tries again files that the bot may not see, and copies the others meanwhile', async () => {
    let isHidden = true;
    const hidden = new PlatformForbidden('Missing Access', 403, 50_001);
    const linkOf = ({ url }: { url: string }) =>
      isHidden && !url.endsWith('seen.png') ? Promise.reject(hidden) : Promise.resolve(url);
    deps.mirror.links = { linkOf };
    await aThreadWith((id) => {
      const files = Array.from({ length: 6 }, () => aFile(server.url, id));
      const seenId = anId();
      const url = `${server.url}/attachments/${id}/${seenId}/seen.png`;
      return [...files, aFile(server.url, id, { id: seenId, url })];
    });
    expect(await totals()).to.include({ files: 1, failed: 6 });
    expect(deps.mirror.pause.until).to.equal(0);
    const [failed] = (await records()).filter(({ problem }) => problem !== undefined);
    expect(failed!.dueAt!.getTime()).to.be.above(Date.now() + 3_600_000);
    isHidden = false;
    await wait();
    expect(await totals()).to.include({ files: 7, failed: 0 });
  });

  it('stops asking while the platform limits it', async () => {
    const { attachments } = await aThreadWith((id) =>
      Array.from({ length: 60 }, () => {
        const file = aFile(server.url, id);
        server.answers.set(pathOf(file), fail(429, { 'Retry-After': '1000' }));
        return file;
      }),
    );
    expect(attachments).to.have.length(60);
    // These requests were under way at the same time.
    expect(server.requests.length).to.be.within(1, 4);
    expect(deps.mirror.pause.until).to.be.above(performance.now() + 900_000);
    const asked = server.requests.length;
    await deps.collections.work.updateMany({ kind: 'mirror' }, { $set: { due: new Date(0) } });
    // The clock of the machine may be set ahead.
    await atOtherTime(3_600_000, () => doDue(deps));
    expect(server.requests).to.have.length(asked);
    const [mark] = await deps.collections.work.find({ kind: 'mirror' }).toArray();
    expect(mark).not.to.have.property('tries');
    expect(await records()).to.deep.equal([]);
  });

  it('leaves no file out when the platform limits it for a shorter time than other files need', async () => {
    deps.mirror.pause.until = Infinity;
    const { attachments } = await aThreadWith((id) =>
      Array.from({ length: 6 }, () => aFile(server.url, id)),
    );
    const [limited, slow] = attachments.map(pathOf) as [string, string];
    let isOver = false;
    server.answers.set(limited, fail(429, { 'Retry-After': '0.05' }));
    server.answers.set(slow, (...exchange) => {
      void until(() => isOver).then(() => give(bytesOf(slow), 'image/png')(...exchange));
    });
    deps.mirror.pause.until = 0;
    await deps.collections.work.updateMany({ kind: 'mirror' }, { $set: { due: new Date(0) } });
    const done = doDue(deps);
    const { pause } = deps.mirror;
    await until(() => pause.until > 0 && performance.now() > pause.until);
    isOver = true;
    await done;
    server.answers.clear();
    await wait();
    expect(await totals()).to.include({ files: 6, failed: 0 });
  });

  it("fetches, of an export's files, only those of its own thread whose links have not expired", async () => {
    deps = await withMirror(base, env, { hasBot: false });
    const ex = (ms: number) => Math.floor((Date.now() + ms) / 1_000).toString(16);
    const { attachments } = await aThreadWith(
      (id) => {
        const fresh = aFile(server.url, id);
        const expired = aFile(server.url, id);
        return [
          { ...fresh, url: `${fresh.url}?ex=${ex(3_600_000)}&is=1&hm=0` },
          { ...expired, url: `${expired.url}?ex=${ex(-1_000)}&is=1&hm=0` },
          aFile(server.url, anId()),
          { ...aFile(server.url, id), url: 'http://127.0.0.1:1/attachments/1/2/a.png' },
        ];
      },
      { asOf: 5 },
    );
    expect(server.requests).to.deep.equal([pathOf(attachments[0]!)]);
    const found = await records();
    expect(found.map(({ problem }) => problem)).to.have.members([
      undefined,
      'Its link has expired',
    ]);
    await wait();
    expect(server.requests).to.have.length(1);
  });

  it('removes files that are deleted, withheld or left out, and copies again those that come back', async () => {
    const author = anAuthor('eve');
    const { threadId, channelId, serverId, messages } = await aThreadWith(
      (id) => [aFile(server.url, id), aFile(server.url, id)],
      { author },
    );
    const build = async () => {
      await setMarks(deps, 'thread', [threadId]);
      await doDue(deps);
      const count = (await stored()).length;
      expect(await totals()).to.include({ files: count });
      return count;
    };
    const { channels } = deps.collections;
    await channels.updateOne({ _id: channelId }, { $set: { withheldAt: new Date() } });
    expect(await build()).to.equal(0);
    await channels.updateOne({ _id: channelId }, { $unset: { withheldAt: '' } });
    expect(await build()).to.equal(2);
    await leaveOut(stores.mongo, serverId, author.id, true);
    expect(await build()).to.equal(0);
    await leaveOut(stores.mongo, serverId, author.id, false);
    expect(await build()).to.equal(2);
    await deleteMessage(deps, { messageId: messages[1]!._id });
    expect((await stored()).length).to.equal(1);
  });

  it('keeps no file of a person once their erasure is done', async () => {
    const avatar = `${server.url}/avatars/7/0f.png`;
    const author = { ...anAuthor('eve'), avatar };
    const { threadId } = await aThreadWith((id) => [aFile(server.url, id)], { author });
    expect((await records()).map(({ of }) => of)).to.have.members([
      `thread/${threadId}`,
      `user/${author.id}`,
    ]);
    const erasureId = await requestErasure(deps.collections, author.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await stored()).to.deep.equal([]);
    expect(await records()).to.deep.equal([]);
    const left = await deps.collections.work.find({ kind: 'mirror' }).toArray();
    expect(JSON.stringify(left)).not.to.contain(author.id);
  });

  it('removes copies of a thread whose files were being copied when each of five processes was killed', async () => {
    const { threadId, messages } = await aThreadWith((id) => [
      aFile(server.url, id),
      aFile(server.url, id),
    ]);
    const subject = `thread/${threadId}`;
    const { work } = deps.collections;
    await setMarks(deps, 'mirror', [subject]);
    for (let killed = 0; killed < MOST_TRIES; killed += 1) {
      await claimMarks(deps, await work.find({ subject }).toArray());
      await endLeases(deps, subject);
    }
    await doDue(deps);
    expect((await work.findOne({ subject }))?.due).to.deep.equal(NEVER);
    expect(await stored()).to.have.length(2);
    await deleteMessage(deps, { messageId: messages[1]!._id });
    expect(await stored()).to.have.length(1);
    expect(await totals()).to.include({ files: 1 });
  });

  it('keeps no record of a file that is erased while the mirror is off, nor the copy once it is on again', async () => {
    const avatar = `${server.url}/avatars/7/0f.png`;
    const author = { ...anAuthor('eve'), avatar };
    await aThreadWith((id) => [aFile(server.url, id)], { author });
    const other = await aThreadWith((id) => [aFile(server.url, id)]);
    const kept = `thread/${other.threadId}`;
    await askToLookThrough(deps);
    await doDue(deps);
    expect(await stored()).to.have.length(3);

    await askToLookThrough(base);
    const erasureId = await requestErasure(base.collections, author.id);
    await eraseUser(base, { erasureId }, REPORT_NOBODY);
    expect((await records()).map(({ of }) => of)).to.deep.equal([kept]);
    await deleteMessage(base, { messageId: other.messages[0]!._id });
    expect(await records()).to.deep.equal([]);
    expect(await totals()).to.deep.equal({ files: 0, bytes: 0, failed: 0 });
    expect(await waiting()).to.equal(0);

    for (const key of await stored()) utimesSync(join(deps.mirror.files.incoming, '..', key), 0, 0);
    await askToLookThrough(deps);
    await doDue(deps);
    expect(await stored()).to.deep.equal([]);
  });

  it('copies the newest picture of a person and of a server, whatever types of attachments are copied', async () => {
    deps = await withMirror(base, { ...env, MIRROR_TYPES: 'image/svg+xml' });
    const serverId = anId();
    const say = async (asOf: number, picture: string) => {
      const threadId = anId();
      const avatar = `${server.url}/avatars/7/${picture}.png`;
      await record(
        deps,
        aSourceThread({
          asOf,
          server: { _id: serverId, icon: picture },
          thread: { _id: threadId },
        }),
        [aSourceMessage({ _id: threadId, threadId, asOf, author: { ...anAuthor('eve'), avatar } })],
      );
      await doDue(deps);
    };
    await say(LIVE, 'a1');
    const first = await stored();
    expect(first).to.have.length(2);
    await say(LIVE + 1, 'b2');
    const second = await stored();
    expect(second).to.have.length(2);
    expect(second).not.to.have.any.members(first);
    expect(server.requests).to.have.members(
      ['a1', 'b2'].flatMap((one) => [`/avatars/7/${one}.png`, `/icons/${serverId}/${one}.png`]),
    );
    // Where the newer picture cannot be had, the one before stays.
    server.answers.set('/avatars/7/c3.png', give(Buffer.from('<svg/>'), 'image/svg+xml'));
    await say(LIVE + 2, 'c3');
    expect(await totals()).to.deep.include({ files: 2, failed: 1 });
    // A picture on another host is never fetched.
    const [threadId, avatar] = [anId(), 'https://evil.example/avatars/8/0f.png'];
    const other = { ...anAuthor('mallory'), avatar };
    await record(deps, aSourceThread({ thread: { _id: threadId } }), [
      aSourceMessage({ _id: threadId, threadId, author: other }),
    ]);
    await doDue(deps);
    expect(await totals()).to.deep.include({ files: 2, failed: 1 });
  });

  it('copies the picture with which a person may be shown', async () => {
    const author = anAuthor('eve');
    const show = async (asOf: number, picture: string) => {
      const avatar = `${server.url}/avatars/7/${picture}.png`;
      const source = aSourceThread({ asOf });
      const threadId = source.thread._id;
      const said = { _id: threadId, threadId, asOf, author: { ...author, avatar } };
      await record(deps, source, [aSourceMessage(said)]);
      await doDue(deps);
      return { avatar, serverId: source.server._id };
    };
    const first = await show(LIVE, 'a1');
    const second = await show(LIVE + 1, 'b2');
    const sources = async () => (await records()).map(({ source }) => source);
    expect(await sources()).to.deep.equal([second.avatar]);
    await leaveOut(stores.mongo, second.serverId, author.id);
    await setMarks(deps, 'member', [`${second.serverId}/${author.id}`]);
    await doDue(deps);
    expect(await sources()).to.deep.equal([first.avatar]);
  });

  it('copies what the platform shows once it sends the files again, whatever came in their place', async () => {
    deps = await withMirror(base, { ...env, MIRROR_TYPES: 'image/*' });
    const [threadId, author] = [anId(), anAuthor('eve')];
    const file = aFile(server.url, threadId);
    const [shown, picture] = [pathOf(file), `/avatars/${author.id}/0f.png`];
    const wrong = {
      'Its type is application/json': give(Buffer.from('{}'), 'application/json'),
      'Its type is not told': give(bytesOf(shown), ''),
      'Only 0 of 1 bytes arrived': give(Buffer.alloc(0), 'image/png'),
    };
    const source = aSourceThread({ thread: { _id: threadId } });
    const by = { ...author, avatar: server.url + picture };
    const said = { _id: threadId, threadId, asOf: LIVE, attachments: [file], author: by };
    await record(deps, source, [aSourceMessage(said)]);
    for (const [problem, answer] of Object.entries(wrong)) {
      server.answers.set(shown, answer).set(picture, answer);
      // Otherwise, copying would pause after the failures of the rounds before.
      deps.mirror.pause.failures = 0;
      await wait();
      expect((await records()).map((one) => one.problem)).to.deep.equal([problem, problem]);
    }
    server.answers.clear();
    await wait();
    const sizes = (await records()).map(({ copy }) => copy?.bytes);
    expect(sizes).to.have.members([shown, picture].map((path) => bytesOf(path).length));
    expect(await totals()).to.include({ files: 2, failed: 0 });
  });

  it('is not held up by files that have another type than an export lets expect', async () => {
    const script = Buffer.from('export {};');
    // An export tells no types. That of a script is guessed from its name, and the platform calls it something else.
    await aThreadWith((id) =>
      [1, 2, 3, 4].map(() => {
        const file = aFile(server.url, id, { contentType: 'text/javascript', size: script.length });
        server.answers.set(pathOf(file), give(script, 'application/javascript'));
        return file;
      }),
    );
    const found = (await records()).map(({ problem, dueAt }) => [problem, dueAt]);
    expect(found).to.deep.equal(
      Array.from({ length: 4 }, () => ['Its type is application/javascript', undefined]),
    );
    await aThreadWith((id) => [aFile(server.url, id)]);
    expect(await totals()).to.include({ files: 1, failed: 4 });
  });

  it('copies a changed picture that failed at first, and shows the one before until then', async () => {
    const author = anAuthor('eve');
    const show = async (asOf: number, picture: string) => {
      const threadId = anId();
      const avatar = `${server.url}/avatars/7/${picture}.png`;
      await record(deps, aSourceThread({ asOf, thread: { _id: threadId } }), [
        aSourceMessage({ _id: threadId, threadId, asOf, author: { ...author, avatar } }),
      ]);
      await doDue(deps);
    };
    const asked = (picture: string) =>
      server.requests.filter((path) => path === `/avatars/7/${picture}.png`).length;
    await show(LIVE, 'a1');
    const first = await stored();
    server.answers.set('/avatars/7/b2.png', fail(503));
    await show(LIVE + 1, 'b2');
    expect(await stored()).to.deep.equal(first);
    expect(await totals()).to.deep.include({ files: 1, failed: 1 });
    server.answers.clear();
    await wait();
    expect([asked('a1'), asked('b2')]).to.deep.equal([1, 2]);
    expect(await stored()).not.to.have.any.members(first);
    expect(await totals()).to.deep.include({ files: 1, failed: 0 });
    const [copied] = await records();
    expect(copied).to.have.all.keys('_id', 'kind', 'of', 'source', 'copy');
    await retryFiles(deps);
    expect(await waiting()).to.equal(0);

    // A file that was gone is asked for again after a change of the settings.
    server.answers.set('/avatars/7/c3.png', fail(404));
    await show(LIVE + 2, 'c3');
    await wait();
    expect(asked('c3')).to.equal(1);
    server.answers.clear();
    deps = await withMirror(base, { ...env, MIRROR_MAX_FILE_MB: '5' });
    await askToLookThrough(deps);
    await doDue(deps);
    expect(asked('c3')).to.equal(2);
    expect(await totals()).to.deep.include({ files: 1, failed: 0 });
    expect(await stored()).to.have.length(1);
    expect(await waiting()).to.equal(0);

    // The next picture is asked for at once, and takes the room of the one before.
    server.answers.set('/avatars/7/d4.png', fail(503));
    await show(LIVE + 3, 'd4');
    deps.mirror.maxTotalBytes = (await totals()).bytes + 1;
    await show(LIVE + 4, 'e5');
    expect([asked('d4'), asked('e5')]).to.deep.equal([1, 1]);
    expect(await totals()).to.deep.include({ files: 1, failed: 0 });
  });

  it('lets a worker that has lost its claim leave nothing behind', async () => {
    const threadId = anId();
    const file = aFile(server.url, threadId);
    const source = aSourceThread({ thread: { _id: threadId } });
    const subject = `thread/${threadId}`;
    const other = { ...anotherProcess(deps, stores), mirror: deps.mirror };
    let isOver = false;
    const { files } = deps.mirror;
    const late = {
      ...deps,
      mirror: {
        ...deps.mirror,
        files: {
          ...files,
          async put(...args: Parameters<typeof files.put>) {
            await files.put(...args);
            if (isOver) return;
            isOver = true;
            await endLeases(deps, subject);
            await runDue(other, {}, ['mirror']);
          },
        },
      },
    };
    await record(deps, source, [
      aSourceMessage({ _id: threadId, threadId, attachments: [file], asOf: LIVE }),
    ]);
    await doDue(late);
    expect(isOver).to.equal(true);
    const [found] = await records();
    expect(await stored()).to.deep.equal([found?.copy?.key]);
    expect(await totals()).to.include({ files: 1 });
  });

  it('removes what a killed worker has left, and copies again what is missing', async () => {
    const { threadId } = await aThreadWith((id) => [aFile(server.url, id)]);
    const [kept] = await records();
    const { files } = deps.mirror;
    const put = async (name: `icons/${string}`) => {
      const path = join(files.incoming, 'arrived');
      writeFileSync(path, 'x');
      const key = newKey(name);
      await files.put(key, path, { bytes: 1, type: 'image/png' });
      return key;
    };
    await put('icons/1');
    const half = join(files.incoming, 'half');
    writeFileSync(half, 'x');
    utimesSync(half, 0, 0);
    writeFileSync(join(files.incoming, 'arriving'), 'x');
    const later = new Date(Date.now() + 2 * 3_600_000);
    await askToLookThrough(deps);
    const mark = await deps.collections.work.findOne({ _id: markId('mirror', 'all') });
    const [claimed] = await claimMarks(deps, [mark!]);
    // A file that was put within the last hour may be waiting for its record.
    await lookThrough(deps, deps.mirror, claimed!);
    expect(await stored()).to.have.length(2);
    expect(readdirSync(files.incoming)).to.deep.equal(['arriving']);
    await lookThrough(deps, deps.mirror, claimed!, later);
    expect(await stored()).to.deep.equal([kept!.copy!.key]);
    expect(readdirSync(files.incoming)).to.deep.equal([]);
    await files.remove([kept!.copy!.key]);
    await lookThrough(deps, deps.mirror, claimed!);
    await endLeases(deps, 'all');
    await doDue(deps);
    const [again] = await records();
    expect(await stored()).to.deep.equal([again!.copy!.key]);
    expect(again!.of).to.equal(`thread/${threadId}`);
    expect(await totals()).to.include({ files: 1 });
    expect(await waiting()).to.equal(0);
    // The mirror is looked through once a day.
    await askToLookThrough(deps);
    expect(await waiting()).to.equal(0);
    await askToLookThrough(deps, new Date(Date.now() + 25 * 3_600_000));
    expect(await waiting()).to.equal(1);
  });

  it('continues in a lost folder once the operator has confirmed that it is to be used', async () => {
    await aThreadWith((id) => [aFile(server.url, id)]);
    const { ownerPlace, incoming } = deps.mirror.files;
    const archiveId = await deps.mirror.files.owner();
    const before = await stored();
    rmSync(env['MIRROR_FOLDER']!, { recursive: true });
    mkdirSync(dirname(ownerPlace), { recursive: true });
    writeFileSync(ownerPlace, `${archiveId}\n`);
    await askToLookThrough(deps, new Date(Date.now() + 2 * 86_400_000));
    await wait();
    expect(await stored())
      .to.have.length(1)
      .and.not.deep.equal(before);
    expect(await totals()).to.include({ files: 1, failed: 0 });

    // Where an archive has copied nothing yet, the operator need not confirm the mirror.
    rmSync(dirname(incoming), { recursive: true });
    await emptyMongo(stores.mongo);
    server.requests.length = 0;
    const again = await aThreadWith((id) => [aFile(server.url, id)]);
    expect(server.requests).to.deep.equal(again.attachments.map(pathOf));
    expect(await stored()).to.have.length(1);
  });

  it('copies damaged files again', async () => {
    await aThreadWith((id) => [aFile(server.url, id)]);
    const [{ copy }] = (await records()) as [SyncFile];
    truncateSync(join(deps.mirror.files.incoming, '..', copy!.key), copy!.bytes - 1);
    await askToLookThrough(deps);
    await doDue(deps);
    await doDue(deps);
    const [again] = await records();
    expect(again!.copy!.key).not.to.equal(copy!.key);
    expect(await deps.mirror.files.has(again!.copy!.key, copy!.bytes)).to.equal(true);
  });

  for (const [other, otherOf] of Object.entries({
    'with the old ones': () => deps,
    'without a mirror': () => base,
  })) {
    it(`copies what new settings allow, although a process ${other} still did some of the work`, async () => {
      const { attachments } = await aThreadWith((id) => [
        aFile(server.url, id, { contentType: 'application/zip' }),
      ]);
      server.answers.set(pathOf(attachments[0]!), give(Buffer.from('zip'), 'application/zip'));
      await askToLookThrough(deps);
      await doDue(deps);
      const changed = await withMirror(base, { ...env, MIRROR_TYPES: 'application/zip' });
      await askToLookThrough(changed);
      const old = otherOf();
      const commit: typeof base.commit = async (change) => {
        const outcome = await base.commit(change);
        if ((await waiting()) > 1) {
          // A process without a mirror forgets the settings.
          if (!old.mirror) await askToLookThrough(old);
          await doDue(old);
        }
        return outcome;
      };
      await runDue({ ...changed, commit }, { _id: markId('mirror', 'all') });
      await doDue(old);
      deps = changed;
      await askToLookThrough(deps);
      await wait();
      expect(await stored()).to.have.length(1);
    });
  }

  it('removes copies that are not shown any more, although a process that has no mirror yet works, too', async () => {
    const { threadId } = await aThreadWith((id) => [aFile(server.url, id)]);
    await askToLookThrough(deps);
    await doDue(deps);
    const { messages, work } = deps.collections;
    await messages.updateMany({}, { $set: { deleted: true } });
    const subject = `thread/${threadId}`;
    await setMarks(deps, 'mirror', [subject]);
    await runDue(base, { subject });
    await work.updateMany({ subject }, { $set: { due: new Date(0) } });
    await doDue(deps);
    expect(await stored()).to.deep.equal([]);
  });

  it('looks through everything after settings have changed, even if that was while it was off', async () => {
    const off = base;
    const { attachments } = await aThreadWith((id) => [
      aFile(server.url, id),
      aFile(server.url, id, { contentType: 'application/zip' }),
    ]);
    const begin = async (now: IndexerDeps) => {
      await askToLookThrough(now);
      await doDue(now);
      return (await stored()).length;
    };
    expect(await begin(deps)).to.equal(1);
    server.answers.set(pathOf(attachments[1]!), give(Buffer.from('zip'), 'application/zip'));
    deps = await withMirror(off, { ...env, MIRROR_TYPES: 'image/*, application/zip' });
    expect(await begin(deps)).to.equal(2);
    deps = await withMirror(off, { ...env, MIRROR_TYPES: 'application/zip' });
    expect(await begin(deps)).to.equal(1);
    // While the mirror is off, no changes are followed.
    await begin(off);
    const { messages } = deps.collections;
    await messages.updateMany({}, { $set: { deleted: true } });
    expect(await begin(deps)).to.equal(0);
  });

  it('claims no thread any more while it looks through the whole mirror, as deletions would wait for that', async () => {
    const { threadId } = await aThreadWith((id) => [aFile(server.url, id)]);
    const subjects = ['all', `thread/${threadId}`];
    await setMarks(deps, 'mirror', subjects);
    const { work } = deps.collections;
    const found = await work.find({ kind: 'mirror' }).sort({ subject: 1 }).toArray();
    const claimed = await claimMarks(deps, found);
    expect(claimed.map(({ subject }) => subject)).to.deep.equal(subjects);
    const { files } = deps.mirror;
    let held: string[] | undefined;
    const looking: Deps = {
      ...deps,
      mirror: {
        ...deps.mirror,
        files: {
          ...files,
          async *list() {
            held = await work.distinct('subject', { claim: { $exists: true } });
            yield* files.list();
          },
        },
      },
    };
    await runClaimed(looking, 'mirror', claimed);
    expect(held).to.deep.equal(['all']);
  });

  it('ends the marks of several subjects in one transaction', async () => {
    const { work } = deps.collections;
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const { threadId } = await aThreadWith((id) => [aFile(server.url, id)]);
      ids.push(`thread/${threadId}`);
    }
    await setMarks(deps, 'mirror', ids);
    const claimed = await claimMarks(deps, await work.find({ subject: { $in: ids } }).toArray());
    let stored = 0;
    const commit: typeof deps.commit = (change) => {
      stored += 1;
      return deps.commit(change);
    };
    const counting = { ...deps, commit: Object.assign(commit, { first: commit }) };
    await runClaimed(counting, 'mirror', claimed);
    expect(claimed).to.have.length(3);
    expect(await waiting()).to.equal(0);
    expect(stored).to.equal(1);
  });
});
