import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { mock } from 'node:test';
import { expect } from 'chai';
import { restoreBackup } from '../../../services/cli/backup/restoreBackup.js';
import { writeBackup } from '../../../services/cli/backup/writeBackup.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { recordThreadDeletion } from '../../../services/indexer/jobs/deleteThread.js';
import { reindexViews } from '../../../services/indexer/jobs/reindexViews.js';
import { askToLookThrough } from '../../../services/indexer/mirror/lookThrough.js';
import type { Mirror } from '../../../services/indexer/mirror/mirror.js';
import { isMirrorAway } from '../../../services/indexer/mirror/ownMirror.js';
import { retryFiles } from '../../../services/indexer/mirror/mirrorFiles.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { setMarks } from '../../../services/indexer/work/claims.js';
import { mirrorStats } from '../../../shared/store/mirrorStats.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { stateOf } from '../../../shared/store/state.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import { atOtherTime } from '../../support/atOtherTime.js';
import { aSourceMessage, aSourceThread, anAuthor, anId } from '../../support/factories.js';
import { fail, startFileServer, type FileServer } from '../../support/fileServer.js';
import { indexerDeps, record } from '../../support/indexerDeps.js';
import {
  aBucket,
  aFile,
  aFolder,
  doDue,
  LIVE,
  storedKeys,
  withMirror,
  type MirrorPlace,
} from '../../support/mirrorRig.js';
import { emptyMongo, openStores, type TestStores } from '../../support/stores.js';
import { sweptBetween } from '../../support/sweptBetween.js';
import { verifyNow } from '../../support/verifiedArchive.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

type Deps = IndexerDeps & { mirror: Mirror };

/** Slightly more than a day. */
const TOMORROW_MS = 25 * 3_600_000;

for (const [where, aPlace] of Object.entries({ folder: aFolder, bucket: aBucket })) {
  describe(`whose mirror it is, in a ${where}`, () => {
    let stores: TestStores;
    let server: FileServer;
    let place: MirrorPlace;
    let base: IndexerDeps;
    let env: Record<string, string>;
    let deps: Deps;
    let part: string;
    let lines: string[];
    before(async function () {
      // The S3 server may have to be built first.
      this.timeout(0);
      stores = await openStores();
      server = await startFileServer();
      place = await aPlace();
      env = { ...place.env, DISCORD_CDN_URL: server.url };
      const logger = createLogger('indexer', 'error', { write: (line) => void lines.push(line) });
      base = { ...indexerDeps(stores), logger };
    });
    beforeEach(async () => {
      lines = [];
      server.answers.clear();
      // Each test has a part of the place to itself.
      part = anId();
      deps = await openAs(part);
    });
    afterEach(() => emptyMongo(stores.mongo));
    after(async () => {
      await place.close();
      await server.close();
      await stores.close();
    });

    /** The archive, with a part of the place as its mirror. Everything in it seems to be old. */
    async function openAs(namespace: string, more: Record<string, string> = {}): Promise<Deps> {
      const { mirror } = await withMirror({ ...base, namespace }, { ...env, ...more });
      const files: Mirror['files'] = {
        ...mirror.files,
        async *list() {
          for await (const { key } of mirror.files.list()) yield { key, putAt: new Date(0) };
        },
      };
      return { ...base, mirror: { ...mirror, files } };
    }
    /** Copies an attachment, and the picture of its author. */
    async function copySome(by = deps): Promise<string[]> {
      const threadId = anId();
      const author = { ...anAuthor('eve'), avatar: `${server.url}/avatars/7/0f.png` };
      const attachments = [aFile(server.url, threadId)];
      const message = { _id: threadId, threadId, author, attachments, asOf: LIVE };
      await record(by, aSourceThread({ thread: { _id: threadId } }), [aSourceMessage(message)]);
      await lookThrough(by);
      const keys = await stored(by);
      expect(keys).to.have.length(2);
      return keys;
    }
    /** Looks through everything, and does the work that follows. */
    async function lookThrough(by = deps): Promise<void> {
      by.mirror.away.until = 0;
      await askToLookThrough(by, new Date(Date.now() + TOMORROW_MS));
      await doAgain(by);
    }
    /** Also does the work that was held back. */
    async function doAgain(by = deps): Promise<void> {
      by.mirror.away.until = 0;
      await by.collections.work.updateMany({ kind: 'mirror' }, { $set: { due: new Date(0) } });
      await doDue(by);
    }
    async function stored(by = deps): Promise<string[]> {
      return (await storedKeys(by.mirror.files)).sort();
    }
    async function named(): Promise<string[]> {
      const records = await syncOf(base.collections.sync, 'file').find({ kind: 'file' }).toArray();
      return records.flatMap(({ copy }) => copy?.key ?? []).sort();
    }
    const archiveId = async () =>
      (await stateOf(base.collections.state, 'archive').findOne({ _id: 'archive' }))?.id;
    const waiting = () => base.collections.work.countDocuments({ kind: 'mirror' });
    const told = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    /** The archive as an earlier version left its mirror. */
    const withoutOwner = (by: Deps): Deps => ({
      ...by,
      mirror: { ...by.mirror, files: { ...by.mirror.files, setOwner: () => Promise.resolve() } },
    });
    /** Makes the platform lose all its files. */
    async function losePlatform(): Promise<void> {
      const records = await syncOf(base.collections.sync, 'file').find({ kind: 'file' }).toArray();
      for (const { source } of records) server.answers.set(new URL(source).pathname, fail(404));
    }

    it('is recorded in a new mirror, and found again', async () => {
      const keys = await copySome();
      expect(await archiveId()).to.match(/^[0-9a-f]{32}$/);
      expect(await deps.mirror.files.owner()).to.equal(await archiveId());
      await lookThrough();
      expect([await stored(), await named()]).to.deep.equal([keys, keys]);
      expect(told()).to.deep.equal([]);
    });

    for (const isNoted of [true, false]) {
      it(`is known by a restored archive, whose files ${isNoted ? 'came with its id' : 'have no id yet'}`, () =>
        withTemporaryFolder(async (folder) => {
          const keys = await copySome(isNoted ? deps : withoutOwner(deps));
          if (!isNoted) await base.collections.state.deleteOne({ _id: 'archive' });
          await losePlatform();
          // A newer picture could not be copied yet.
          await syncOf(base.collections.sync, 'file').updateOne(
            { kind: 'file', of: /^user/ },
            { $set: { problem: 'The platform answers 500', tries: 1, dueAt: new Date(0) } },
          );
          await writeBackup(stores.mongo, folder);
          await emptyMongo(stores.mongo);

          // The indexer of the empty archive runs with other settings.
          deps = await openAs(part, { MIRROR_MAX_FILE_MB: '7' });
          await lookThrough();
          expect(await stored()).to.deep.equal(keys);
          expect(told().map(({ level }) => level)).to.include(50);

          let sweeps = 0;
          const sweep = async () => {
            sweeps += 1;
            await setMarks(deps, 'mirror', ['all']);
            await doAgain();
            await retryFiles(deps);
            await doAgain();
          };
          const swept = sweptBetween(stores.mongo, sweep);
          await restoreBackup({ ...stores, mongo: swept }, folder);
          expect(sweeps).to.be.above(3);
          await sweep();
          expect([await stored(), await named()], 'before views are built').to.deep.equal([
            keys,
            keys,
          ]);
          await reindexViews(deps, REPORT_NOBODY);
          lines = [];
          await sweep();
          expect([await stored(), await named()]).to.deep.equal([keys, keys]);
          expect(await deps.mirror.files.owner()).to.equal(await archiveId());
          expect(told()).to.deep.equal([]);
          expect(await waiting()).to.equal(0);
          // The mirror is looked through as before.
          await syncOf(base.collections.sync, 'file').deleteMany({ kind: 'file' });
          await lookThrough();
          expect(await stored()).to.deep.equal([]);
        }));
    }
    it('is told without a write where nothing about it is new', async () => {
      await copySome();
      await isMirrorAway(deps);
      const { state } = deps.collections;
      const refuse = () => Promise.reject(new Error('It is written'));
      const readOnly = Object.assign(Object.create(state) as typeof state, {
        updateOne: refuse,
        findOneAndUpdate: refuse,
      });
      const collections = { ...deps.collections, state: readOnly };
      expect(await isMirrorAway({ ...deps, collections })).to.equal(false);
    });
    if (where === 'folder') {
      it('is not waited for while its volume hangs, and is found again when it answers', async () => {
        await copySome();
        const { files, away } = deps.mirror;
        const id = (await archiveId())!;
        // Reading from a pipe takes until somebody writes to it.
        await rm(files.ownerPlace);
        execFileSync('mkfifo', [files.ownerPlace]);
        const problem = async () => (await mirrorStats(base.collections))?.problem;
        try {
          expect(await isMirrorAway(deps)).to.equal(true);
          expect(await problem()).to.equal('It does not answer');
        } finally {
          await writeFile(files.ownerPlace, id);
        }
        await rm(files.ownerPlace);
        await files.setOwner(id);
        away.until = 0;
        expect(await isMirrorAway(deps)).to.equal(false);
        expect(await problem()).to.equal(null);
      });
    }
    it('cannot be told while a volume is away, and no record is dropped', async () => {
      const keys = await copySome();
      await losePlatform();
      const away = await openAs(anId());
      const asked = server.requests.length;
      for (let day = 0; day < 2; day += 1) {
        await lookThrough(away);
        expect(await waiting()).to.equal(day === 0 ? 0 : 1);
        // Work for a thread waits.
        await setMarks(away, 'mirror', ['thread/1']);
        await doAgain(away);
        expect(await waiting()).to.equal(1);
      }
      expect(await named()).to.deep.equal(keys);
      expect(await stored(away)).to.deep.equal([]);
      const { ownerPlace } = away.mirror.files;
      expect(told()[0]).to.include({ level: 50, place: ownerPlace, owner: null });
      expect(told()[0]).to.include({ archiveId: await archiveId() });
      expect(ownerPlace).to.match(/\/owner\/id$/);
      const problem = async () => (await mirrorStats(base.collections))?.problem;
      expect(await problem()).to.match(/^It is not of this archive/);

      lines = [];
      await lookThrough();
      expect(await problem()).to.equal(null);
      expect([await stored(), await named()]).to.deep.equal([keys, keys]);
      expect(server.requests).to.have.length(asked);
      expect(told()).to.deep.equal([]);
      expect(await waiting()).to.equal(0);
    });

    it('cannot be told of a volume that goes away while it is looked through, and no record is dropped', async () => {
      const keys = await copySome();
      const { files } = deps.mirror;
      const gone = { isAway: false };
      const going = {
        ...deps,
        mirror: {
          ...deps.mirror,
          files: {
            ...files,
            has() {
              gone.isAway = true;
              return Promise.resolve(false);
            },
            owner: () => (gone.isAway ? Promise.resolve(null) : files.owner()),
          },
        },
      };
      await lookThrough(going);
      expect(gone.isAway).to.equal(true);
      expect(await named()).to.deep.equal(keys);
      await lookThrough();
      expect([await stored(), await named()]).to.deep.equal([keys, keys]);
      expect(await waiting()).to.equal(0);
    });

    it('is left alone by a repair while a volume is away', async () => {
      const keys = await copySome();
      const { _id: threadId } = (await base.collections.threads.findOne())!;
      await recordThreadDeletion(deps, threadId);
      const away = await openAs(anId());
      await doDue(away);
      const { differences } = await verifyNow(away, { repair: true });
      expect(await named()).to.deep.equal(keys);
      const left = differences.filter(({ mended }) => !mended).map(({ id }) => id);
      const awaited = { kind: 'mirror', causes: { $exists: true } } as const;
      const marks = await base.collections.work.find(awaited).toArray();
      expect(marks).to.have.length(3);
      expect(left).to.have.members(marks.map(({ _id }) => _id));
      await doAgain();
      expect(await named()).to.deep.equal([]);
    });

    it('is confirmed by the operator where the mirror is lost', async () => {
      const keys = await copySome();
      const fresh = await openAs(anId());
      await lookThrough(fresh);
      expect(await stored(fresh)).to.deep.equal([]);
      await fresh.mirror.files.setOwner(`${await archiveId()}\n`);
      await lookThrough(fresh);
      expect(await stored(fresh)).to.have.length(keys.length);
      expect(await named()).to.deep.equal(await stored(fresh));
      expect(await waiting()).to.equal(0);
    });

    it('keeps another archive from using it', async () => {
      const keys = await copySome();
      const owner = await deps.mirror.files.owner();
      await emptyMongo(stores.mongo);
      // This is another database, with another archive.
      const threadId = anId();
      const message = { _id: threadId, threadId, attachments: [aFile(server.url, threadId)] };
      await record(deps, aSourceThread({ thread: { _id: threadId } }), [
        aSourceMessage({ ...message, asOf: LIVE }),
      ]);
      await lookThrough();
      expect([await stored(), await named()]).to.deep.equal([keys, []]);
      expect(await waiting()).to.be.above(0);
      expect(told()[0]).to.include({ level: 50, owner, archiveId: await archiveId() });
      expect(await archiveId()).not.to.equal(owner);
    });

    it('is recorded in the mirror of an archive of an earlier version', async () => {
      const older = withoutOwner(deps);
      const keys = await copySome(older);
      await base.collections.state.deleteOne({ _id: 'archive' });
      expect(await deps.mirror.files.owner()).to.equal(null);
      const elsewhere = await openAs(anId());
      await lookThrough(elsewhere);
      expect(await elsewhere.mirror.files.owner()).to.equal(null);
      expect(told()[0]).to.include({ level: 50, owner: null });

      lines = [];
      await lookThrough();
      expect([await stored(), await named()]).to.deep.equal([keys, keys]);
      expect(await deps.mirror.files.owner()).to.equal(await archiveId());
      expect(told()).to.deep.equal([]);
    });

    it('is reported as unknown for a mirror that never answered, and no more once there is none', async () => {
      const { files } = deps.mirror;
      const owner = () => Promise.reject(new Error('Access Denied'));
      const ill = { ...deps, mirror: { ...deps.mirror, files: { ...files, owner } } };
      await askToLookThrough(ill);
      expect(await mirrorStats(base.collections)).to.deep.equal({
        files: 0,
        bytes: 0,
        failed: 0,
        waiting: 0,
        problem: 'It does not answer',
      });
      await askToLookThrough({ ...deps, mirror: null });
      expect(await mirrorStats(base.collections)).to.equal(null);
    });

    it('reports a problem while copies cannot be removed, and no more some minutes after they were', async () => {
      await copySome();
      const { files } = deps.mirror;
      const remove = () => Promise.reject(new Error('read-only file system'));
      const ill = { ...deps, mirror: { ...deps.mirror, files: { ...files, remove } } };
      await base.collections.messages.updateMany({}, { $set: { deleted: true } });
      const threads = await base.collections.threads.find().toArray();
      await setMarks(
        ill,
        'mirror',
        threads.map(({ _id }) => `thread/${_id}`),
      );
      const problem = async () => (await mirrorStats(base.collections))?.problem;
      await doAgain(ill);
      expect(await problem()).to.match(/^Copies could not be removed/);
      // Work that meets no failure leaves the problem as it is.
      await setMarks(ill, 'mirror', ['user/1']);
      await doDue(ill);
      await askToLookThrough(ill);
      const now = Date.now.bind(Date);
      const ahead = mock.method(Date, 'now', () => now() + 3_600_000);
      expect(await problem(), 'a clock that is ahead').to.match(/^Copies could not be removed/);
      ahead.mock.restore();
      await doAgain(deps);
      expect(await waiting()).to.equal(0);
      const failedAt = new Date(Date.now() - 5 * 60_000);
      await base.collections.state.updateOne({ _id: 'mirror' }, { $set: { failedAt } });
      expect(await problem()).to.equal(null);
    });

    it('is checked twice a minute while the mirror does not answer, and work waits', async () => {
      await copySome();
      const asks: string[] = [];
      const { files } = deps.mirror;
      const ill = {
        ...deps,
        mirror: {
          ...deps.mirror,
          files: {
            ...files,
            owner() {
              asks.push('owner');
              return Promise.reject(new Error('No answer'));
            },
          },
        },
      };
      await setMarks(ill, 'mirror', ['user/1']);
      await doDue(ill);
      const left = ill.mirror.away.until - performance.now();
      // The clock of the machine may be set ahead.
      await atOtherTime(3_600_000, () => doDue(ill));
      expect(asks).to.have.length(1);
      expect(left).to.be.within(0, 30_000);
      expect(await base.collections.work.find({ kind: 'mirror' }).toArray()).to.have.length(1);
      await doAgain();
      expect(await waiting()).to.equal(0);
    });
  });
}
