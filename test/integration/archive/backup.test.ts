import {
  chmod,
  copyFile,
  mkdir,
  open as openFile,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  truncate,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { mock } from 'node:test';
import { expect } from 'chai';
import { Binary, BSON } from 'mongodb';
import { createHandlers } from '../../../services/indexer/handlers.js';
import { indexerChores } from '../../../services/indexer/indexerChores.js';
import { recordThreadDeletion } from '../../../services/indexer/jobs/deleteThread.js';
import { reindexViews } from '../../../services/indexer/jobs/reindexViews.js';
import { askToLookThrough } from '../../../services/indexer/mirror/lookThrough.js';
import { holdLease, releaseLease } from '../../../services/indexer/sync/lease.js';
import { LookAgain } from '../../../services/indexer/permanentErrors.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { setMarks } from '../../../services/indexer/work/claims.js';
import { runDue } from '../../../services/indexer/work/runMarks.js';
import { createApiKeyChecker } from '../../../services/api/auth/apiKeyChecker.js';
import type { Manifest } from '../../../services/cli/backup/backupFormat.js';
import { checkBackup } from '../../../services/cli/backup/checkBackup.js';
import { restoreBackup } from '../../../services/cli/backup/restoreBackup.js';
import { version } from '../../../services/cli/version.js';
import { writeBackup } from '../../../services/cli/backup/writeBackup.js';
import { announcementChannel } from '../../../shared/jobs/announcements.js';
import type { JobName } from '../../../shared/jobs/jobs.js';
import { createProducer } from '../../../shared/jobs/producer.js';
import { readSettings } from '../../../shared/platform/env.js';
import { createApiKey, revokeApiKey } from '../../../shared/store/apiKeys.js';
import { requestDeletion } from '../../../shared/store/deletions.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { memberId } from '../../../shared/store/optOuts.js';
import { bodyOwner, pieceId } from '../../../shared/store/pieces.js';
import { failedMark, failureOf } from '../../../shared/store/quarantine.js';
import { beginRestore, endRecords, readRestore } from '../../../shared/store/restore.js';
import { searchAlias, searchIndexName } from '../../../shared/store/searchIndex.js';
import { stateOf } from '../../../shared/store/state.js';
import { unshownPeople } from '../../../shared/store/unshownPeople.js';
import { storeUpload } from '../../../shared/store/uploads.js';
import { isQuarantined } from '../../../shared/store/work.js';
import { until } from '../../support/apiServer.js';
import { startArchive, type TestArchive } from '../../support/archive.js';
import { anExport, anExportMessage, bytesOf } from '../../support/exportFiles.js';
import { aServer, aSourceMessage, aSourceThread, anAuthor, anId } from '../../support/factories.js';
import { startFileServer } from '../../support/fileServer.js';
import { doAll, indexerDeps, record } from '../../support/indexerDeps.js';
import { aFolder, doDue, LIVE, storedKeys, withMirror } from '../../support/mirrorRig.js';
import { emptyMongo, openStores, type TestStores } from '../../support/stores.js';
import { sweptBetween } from '../../support/sweptBetween.js';
import { rejectionOf, withTemporaryFolder } from '../../support/temporaryFolder.js';
import { restingArchive } from '../../support/verifiedArchive.js';
import { everyAnswer } from '../../support/wholeArchive.js';

/** Documents that end with an error. */
async function* failing(): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(BSON.serialize({ _id: '1' }));
  throw new Error('The connection is lost');
}

/**
 * Calls `after` each time a file or folder was synced by its handle, while `work` goes on. All handles inherit from one
 * object, which is found in that of `folder`.
 */
async function withSyncs(
  folder: string,
  after: (handle: FileHandle) => Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  const handle = await openFile(folder);
  const prototype = Object.getPrototypeOf(handle) as { sync: (this: FileHandle) => Promise<void> };
  await handle.close();
  const { sync } = prototype;
  const watched = mock.method(prototype, 'sync', async function (this: FileHandle) {
    await sync.call(this);
    await after(this);
  });
  await work().finally(() => watched.mock.restore());
}

const SAMPLE = 'sample/show-and-tell';

describe('backup and restore', () => {
  const opened: TestArchive[] = [];
  const open = async (): Promise<TestArchive> => {
    const archive = await startArchive();
    opened.push(archive);
    return archive;
  };
  afterEach(async () => {
    for (const archive of opened.splice(0)) await archive.close();
  });

  /** Runs a command that must succeed. */
  const run = async (archive: TestArchive, ...args: string[]) => {
    const { code, stdout, stderr } = await archive.cli(...args, '--json');
    expect(code, `${args.join(' ')}: ${stderr}${stdout}`).to.equal(0);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  it('bring back every answer, and nothing that was deleted or erased', () =>
    withTemporaryFolder(async (folder) => {
      const before = await open();
      await run(before, 'import', SAMPLE);
      const { threads } = await before.json<{ threads: { id: string; author: { id: string } }[] }>(
        '/api/threads?limit=3',
      );
      const [deleted, , other] = threads;
      await run(before, 'delete', 'thread', deleted!.id);
      await run(before, 'erase-user', other!.author.id);
      const answers = await everyAnswer(before);
      const backup = join(folder, 'backup');
      expect(await run(before, 'backup', backup)).to.include({
        snapshot: true,
        version: version(),
      });
      for (const name of ['', ...(await readdir(backup))])
        expect((await stat(join(backup, name))).mode & 0o077, name).to.equal(0);

      const after = await open();
      // This API serves an archive that was dropped meanwhile, and knows the key of its cursors.
      expect(await after.json('/api/threads')).to.include({ nextCursor: null });
      await after.api.stores.mongo.db.dropDatabase();
      const { verify } = (await run(after, 'restore', backup)) as { verify: { clean: boolean } };
      expect(verify.clean).to.equal(true);
      expect(await verifications(after)).to.deep.equal([{ repair: false }]);
      expect(await everyAnswer(after)).to.deep.equal(answers);
      const { state } = after.api.stores.mongo.collections;
      expect(await state.countDocuments({ _id: 'cursors' }), 'the key of cursors').to.equal(1);

      await run(after, 'import', SAMPLE);
      expect(await everyAnswer(after)).to.deep.equal(answers);
      expect((await after.api.get(`/api/threads/${deleted!.id}`)).status).to.equal(404);
      expect((await after.api.get(`/users/${other!.author.id}`)).status).to.equal(404);

      const again = await after.cli('restore', backup);
      expect(again.code).to.equal(1);
      expect(again.stderr).to.match(/^Error: The archive is not empty: .* holds servers/m);
    }));

  it('leave nothing in search that came after the backup, where only MongoDB was lost', () =>
    withTemporaryFolder(async (folder) => {
      const archive = await open();
      const backup = join(folder, 'backup');
      await run(archive, 'import', SAMPLE);
      await run(archive, 'backup', backup);
      const file = join(folder, 'later.json');
      await writeFile(file, JSON.stringify(anExport({ channel: { name: 'Afterthought' } })));
      await run(archive, 'import', file);
      const { mongo, elasticsearch } = archive.api.stores;
      await mongo.db.dropDatabase();
      const { verify } = (await run(archive, 'restore', backup)) as { verify: { clean: boolean } };
      expect(verify.clean).to.equal(true);
      expect(await archive.json('/api/search?q=afterthought')).to.include({ total: 0 });
      const indexes = await elasticsearch.indices.get({
        index: `${searchAlias(mongo.namespace)}-*`,
      });
      expect(Object.keys(indexes)).to.have.length(1);
    }));

  it('have API processes drop all that they cached, when all views are built', () =>
    withTemporaryFolder(async (folder) => {
      const stores = await openStores();
      const { mongo, redis } = stores;
      const subscriber = redis.duplicate();
      try {
        await writeBackup(mongo, folder);
        const heard: unknown[] = [];
        subscriber.on('message', (_channel, message) => {
          const { everything } = JSON.parse(message) as { everything?: boolean };
          if (everything) heard.push(everything);
        });
        await subscriber.connect();
        await subscriber.subscribe(announcementChannel(mongo.namespace));
        // The command was cut off when it had restored all records.
        await restoreBackup(stores, folder);
        const reindex = createHandlers(indexerDeps(stores))['reindex-views'];
        for (let times = 0; times < 2; times += 1) await reindex({});
        // An answer on the same connection comes after everything that was published before.
        await subscriber.ping();
        expect(heard).to.deep.equal([true]);
        expect(await readRestore(mongo.collections)).to.equal(null);
      } finally {
        subscriber.disconnect();
        await stores.close();
      }
    }));

  it('count as under way until views are built by a job that began when all records were there', async () => {
    const stores = await openStores();
    const { collections } = stores.mongo;
    try {
      const deps = indexerDeps(stores);
      await record(deps, aSourceThread());
      // Worker A builds all views of an archive. Meanwhile its database is dropped, and a restore writes all records.
      let restores = 0;
      const report = () => {
        restores += 1;
        return beginRestore(collections).then(() => endRecords(collections));
      };
      const done: Promise<unknown>[] = [];
      await reindexViews(deps, () => void done.push(report()));
      await Promise.all(done);
      expect(restores).to.equal(1);
      expect((await readRestore(collections))?.step).to.equal('views');
      await reindexViews(deps, REPORT_NOBODY);
      expect(await readRestore(collections)).to.equal(null);
    } finally {
      await stores.close();
    }
  });

  it('bring API keys back as revoked, unless told that they shall work', () =>
    withTemporaryFolder(async (folder) => {
      const before = await openStores();
      const targets = [await openStores(), await openStores()] as const;
      try {
        const { collections } = before.mongo;
        const expiresAt = null;
        const [used, gone] = await Promise.all(
          ['used', 'gone'].map((name) =>
            createApiKey(collections, { name, level: 'admin', expiresAt }),
          ),
        );
        const { revokedAt } = (await revokeApiKey(collections, gone!.record._id))!;
        await writeBackup(before.mongo, folder);
        await revokeApiKey(collections, used!.record._id);

        const [safe, alive] = targets;
        expect(await restoreBackup(safe, folder)).to.include({ revokedKeys: 1 });
        expect(await restoreBackup(alive, folder, { keys: true })).to.include({ revokedKeys: 0 });
        const checks = targets.map(({ mongo }) => createApiKeyChecker(mongo.collections));
        const answers = await Promise.all(
          checks.flatMap((check) =>
            [used!, gone!].map(({ key }) => check(key).then(() => 'taken', codeOf)),
          ),
        );
        expect(answers).to.deep.equal(['FORBIDDEN', 'FORBIDDEN', 'taken', 'FORBIDDEN']);
        const kept = await safe.mongo.collections.apiKeys.findOne({ _id: gone!.record._id });
        expect(kept?.revokedAt).to.deep.equal(revokedAt);
      } finally {
        for (const stores of [before, ...targets]) await stores.close();
      }
    }));

  it('use a later moment where a collection was made after the first one', () =>
    withTemporaryFolder(async (folder) => {
      const stores = await openStores();
      const { mongo } = stores;
      try {
        await mongo.collections.servers.insertOne(aServer());
        let moments = 0;
        const db = Object.assign(Object.create(mongo.db) as typeof mongo.db, {
          collection(name: string) {
            const collection = mongo.db.collection(name);
            if (name !== 'deletions') return collection;
            return Object.assign(Object.create(collection) as typeof collection, {
              // This is the last read before files are written. The new collection cannot be read as of its moment.
              async findOne(...args: Parameters<typeof collection.findOne>) {
                const found = await collection.findOne(...args);
                moments += 1;
                if (moments === 1) await mongo.db.createCollection(name);
                return found;
              },
            });
          },
        });
        const { snapshot, collections } = await writeBackup({ ...mongo, db }, folder);
        expect({ snapshot, moments }).to.deep.equal({ snapshot: true, moments: 2 });
        expect(collections.servers.documents).to.equal(1);
      } finally {
        await stores.close();
      }
    }));

  it('are not made of a restore that began while their moment was looked for', () =>
    withTemporaryFolder(async (folder) => {
      const stores = await openStores();
      const { mongo } = stores;
      try {
        const db = Object.assign(Object.create(mongo.db) as typeof mongo.db, {
          collection(name: string) {
            const collection = mongo.db.collection(name);
            return Object.assign(Object.create(collection) as typeof collection, {
              // This counts what there is, before the moment of the backup is chosen.
              async estimatedDocumentCount() {
                const count = await collection.estimatedDocumentCount();
                if (name === 'servers') {
                  await beginRestore(mongo.collections);
                  await mongo.collections.servers.insertOne(aServer());
                }
                return count;
              },
            });
          },
        });
        expect(await rejectionOf(writeBackup({ ...mongo, db }, folder))).to.match(
          /^A restore of this archive goes on/,
        );
        expect(await readdir(folder)).to.deep.equal([]);
      } finally {
        await stores.close();
      }
    }));

  it('never write two backups into one folder', () =>
    withTemporaryFolder(async (folder) => {
      const stores = await openStores();
      try {
        const both = await Promise.allSettled([
          writeBackup(stores.mongo, folder),
          writeBackup(stores.mongo, folder),
        ]);
        const refused = both.filter((one) => one.status === 'rejected');
        expect(refused.map(({ reason }) => (reason as Error).message)).to.deep.equal([
          `${folder} holds a backup that is being made, or was cut off: name another folder, and remove this one where none is being made any more`,
        ]);
        const [written] = both.filter((one) => one.status === 'fulfilled');
        expect(await checkBackup(folder)).to.deep.equal(written!.value);
      } finally {
        await stores.close();
      }
    }));

  it('leave nothing behind where they fail, and remove nothing that was there before', () =>
    withTemporaryFolder(async (folder) => {
      const stores = await openStores();
      const { mongo } = stores;
      const db = Object.assign(Object.create(mongo.db) as typeof mongo.db, {
        collection(name: string) {
          const collection = mongo.db.collection(name);
          if (name !== 'messages') return collection;
          return Object.assign(Object.create(collection) as typeof collection, {
            findOne: (...args: Parameters<typeof collection.findOne>) =>
              collection.findOne(...args),
            find: () => ({ stream: () => Readable.from(failing()) }),
          });
        },
      });
      try {
        const failed = writeBackup({ ...mongo, db }, folder);
        expect(await rejectionOf(failed)).to.equal('The connection is lost');
        expect(await readdir(folder)).to.deep.equal([]);
        await writeFile(join(folder, 'threads.bson.gz'), 'mine');
        expect(await rejectionOf(writeBackup(mongo, folder))).to.equal(
          `${folder} is not empty: name another folder`,
        );
        expect(await readdir(folder)).to.deep.equal(['threads.bson.gz']);
        await rm(join(folder, 'threads.bson.gz'));
        await writeFile(join(folder, 'manifest.json.partial'), '');
        expect(await rejectionOf(writeBackup(mongo, folder))).to.match(
          /is being made, or was cut off: name another folder, and remove this one where none is/,
        );
      } finally {
        await stores.close();
      }
    }));

  it('are on the disk as a whole before they have a manifest, and then with it', () =>
    withTemporaryFolder(async (root) => {
      const stores = await openStores();
      const above = join(root, 'above');
      const folder = join(above, 'made');
      const synced: [string, string[]][] = [];
      const note = async ({ fd }: FileHandle): Promise<void> => {
        const path = await readlink(`/proc/self/fd/${fd}`);
        if (path.startsWith(root) && (await stat(path)).isDirectory())
          synced.push([path, (await readdir(path)).filter((name) => !name.endsWith('.gz'))]);
      };
      try {
        await withSyncs(root, note, async () => void (await writeBackup(stores.mongo, folder)));
        expect(synced).to.deep.equal([
          [folder, ['manifest.json.partial']],
          [folder, ['manifest.json']],
          [above, ['made']],
          [root, ['above']],
        ]);
      } finally {
        await stores.close();
      }
    }));

  it('leave nothing behind where the disk fails when it is to hold the manifest', () =>
    withTemporaryFolder(async (root) => {
      const stores = await openStores();
      const folder = join(root, 'made');
      const fail = async (): Promise<void> => {
        const isNamed = (await readdir(folder)).includes('manifest.json');
        if (isNamed) throw Object.assign(new Error('i/o error'), { code: 'EIO', syscall: 'fsync' });
      };
      try {
        await withSyncs(root, fail, async () => {
          expect(await rejectionOf(writeBackup(stores.mongo, folder))).to.equal(
            `${folder} cannot be written: i/o error`,
          );
        });
        expect(await readdir(folder)).to.deep.equal([]);
      } finally {
        await stores.close();
      }
    }));

  it('never write a backup over another that began later and has ended before', () =>
    withTemporaryFolder(async (folder) => {
      const stores = await openStores();
      const { mongo } = stores;
      const { state } = mongo.collections;
      let other: Promise<unknown> | undefined;
      const slow = Object.assign(Object.create(state) as typeof state, {
        async findOne(...args: Parameters<typeof state.findOne>) {
          other ??= rejectionOf(writeBackup(mongo, folder));
          await other.catch(() => undefined);
          return state.findOne(...args);
        },
      });
      try {
        const collections = { ...mongo.collections, state: slow };
        const manifest = await writeBackup({ ...mongo, collections }, folder);
        expect(await other).to.contain(`${folder} holds a backup that is being made`);
        expect(await checkBackup(folder)).to.deep.equal(manifest);
      } finally {
        await stores.close();
      }
    }));

  it('remove copies of files that were to be removed when the backup was made', () =>
    withTemporaryFolder(async (folder) => {
      const stores = await openStores();
      const place = await aFolder();
      const server = await startFileServer();
      try {
        const env = { ...place.env, DISCORD_CDN_URL: server.url };
        const deps = await withMirror(indexerDeps(stores), env);
        const { sync, work } = stores.mongo.collections;
        const [threadId, userId] = [anId(), anId()];
        const avatar = `${server.url}/avatars/${userId}/a.png`;
        const author = { ...anAuthor('ada'), id: userId, avatar };
        const source = aSourceThread({ thread: { _id: threadId } });
        await askToLookThrough(deps);
        await record(deps, source, [
          aSourceMessage({ _id: threadId, threadId, author, asOf: LIVE }),
        ]);
        await doDue(deps);
        const stored = () => storedKeys(deps.mirror.files);
        expect(await stored()).to.have.length(1);
        // The thread is deleted, but no worker has got to what follows from that.
        await recordThreadDeletion(deps, threadId);
        await writeBackup(stores.mongo, folder);
        await emptyMongo(stores.mongo);
        await restoreBackup(stores, folder);
        expect(await sync.countDocuments({ kind: 'file' })).to.equal(1);
        await createHandlers(deps)['reindex-views']({});
        await askToLookThrough(deps);
        await doDue(deps);
        await doAll(deps);
        expect(await sync.countDocuments({ kind: 'file' })).to.equal(0);
        expect(await work.countDocuments()).to.equal(0);
        expect(await stored()).to.deep.equal([]);
      } finally {
        await server.close();
        await place.close();
        await stores.close();
      }
    }));

  it('tell running processes who is erased and left out, whatever archive they served before', () =>
    withTemporaryFolder(async (folder) => {
      const stores = await openStores();
      const { collections } = stores.mongo;
      const hide = async (): Promise<[string, string]> => {
        const [erased, left, serverId] = [anId(), anId(), anId()];
        await requestErasure(collections, erased);
        const out = { _id: memberId(serverId, left), serverId, userId: left };
        await collections.optOuts.insertOne(out);
        await stateOf(collections.state, 'optOuts').insertOne({ _id: 'optOuts', version: 1 });
        return [erased, left];
      };
      const areHidden = async ([erased, left]: [string, string]) => {
        const unshown = await unshownPeople(collections);
        return [unshown.erased.has(erased), unshown.left.hasAnywhere(left)];
      };
      try {
        const hidden = await hide();
        await writeBackup(stores.mongo, folder);
        await emptyMongo(stores.mongo);
        expect(await areHidden(await hide())).to.deep.equal([true, true]);
        await emptyMongo(stores.mongo);
        // The API looks for each picture and attachment that it is asked for, also during the restore.
        const swept = sweptBetween(stores.mongo, async (name) => {
          const are = await areHidden(hidden);
          if (!['optOuts', 'state', 'erasures'].includes(name))
            expect(are, name).to.deep.equal([true, true]);
        });
        await restoreBackup({ ...stores, mongo: swept }, folder);
        expect(await areHidden(hidden)).to.deep.equal([true, true]);
      } finally {
        await stores.close();
      }
    }));

  it('are not restored where an indexer syncs, as it would fill the archive meanwhile', () =>
    withTemporaryFolder(async (folder) => {
      const stores = await openStores();
      const { collections } = stores.mongo;
      try {
        await collections.servers.insertOne(aServer());
        await writeBackup(stores.mongo, folder);
        await emptyMongo(stores.mongo);
        await holdLease(collections, 'syncing');
        const refused = await restoreBackup(stores, folder).catch(String);
        expect(refused).to.match(/start it without DISCORD_BOT_TOKEN/);
        expect(await collections.servers.countDocuments()).to.equal(0);
        await releaseLease(collections, 'syncing');
        await restoreBackup(stores, folder);
        expect(await collections.servers.countDocuments()).to.equal(1);
      } finally {
        await stores.close();
      }
    }));

  it('are not restored where another restore goes on, or was cut off', () =>
    withTemporaryFolder(async (folder) => {
      const stores = await openStores();
      const { collections } = stores.mongo;
      try {
        await collections.servers.insertOne(aServer());
        await collections.optOuts.insertOne({ _id: '1/2', serverId: '1', userId: '2' });
        await writeBackup(stores.mongo, folder);
        await emptyMongo(stores.mongo);
        await beginRestore(collections);
        expect(await rejectionOf(restoreBackup(stores, folder))).to.match(
          /^Another restore .* drop the database and begin again$/,
        );
        expect(await collections.optOuts.countDocuments()).to.equal(0);
        expect((await readRestore(collections))?.step).to.equal('records');
      } finally {
        await stores.close();
      }
    }));

  it('let a restore begin again that could not make the search index, or found something new', () =>
    withTemporaryFolder(async (folder) => {
      const stores = await openStores();
      const { mongo, elasticsearch } = stores;
      const { collections } = mongo;
      /** An Elasticsearch that does something before it makes an index. */
      const doingFirst = (first: () => Promise<unknown>): typeof elasticsearch => {
        const { indices } = elasticsearch;
        const changed = Object.create(indices, {
          create: { value: async (params: never) => (await first(), indices.create(params)) },
        }) as typeof indices;
        return Object.create(elasticsearch, {
          indices: { value: changed },
        }) as typeof elasticsearch;
      };
      const away = doingFirst(() => Promise.reject(new Error('It is away')));
      const erasing = doingFirst(() => requestErasure(collections, anId()));
      try {
        await collections.servers.insertOne(aServer());
        await writeBackup(mongo, folder);
        await emptyMongo(mongo);
        for (const [client, refusal] of [
          [away, /It is away/],
          [erasing, /not empty: .* holds erasures/],
        ] as const) {
          const refused = restoreBackup({ mongo, elasticsearch: client }, folder);
          expect(await rejectionOf(refused)).to.match(refusal);
          expect(await readRestore(collections)).to.equal(null);
        }
        await collections.erasures.deleteMany({});
        await restoreBackup(stores, folder);
        expect(await collections.servers.countDocuments()).to.equal(1);
      } finally {
        await stores.close();
      }
    }));

  it('refuse a damaged or incomplete backup before anything is written', () =>
    withTemporaryFolder(async (folder) => {
      const archive = await open();
      const whole = join(folder, 'whole');
      await run(archive, 'backup', whole);
      const damage: [string, (copy: string) => Promise<unknown>, RegExp][] = [
        [
          'cut',
          (copy) => truncate(join(copy, 'threads.bson.gz'), 5),
          /threads\.bson\.gz: it has 5/,
        ],
        [
          'changed',
          async (copy) => {
            const path = join(copy, 'apiKeys.bson.gz');
            const bytes = await readFile(path);
            bytes[bytes.length - 1]! ^= 1;
            await chmod(path, 0o600);
            await writeFile(path, bytes);
          },
          /apiKeys\.bson\.gz: its content has changed/,
        ],
        [
          'miscounted',
          async (copy) => {
            const path = join(copy, 'manifest.json');
            const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
            manifest.collections.servers.documents += 1;
            await writeFile(path, JSON.stringify(manifest));
          },
          /servers\.bson\.gz: it has 0 documents, and should have 1/,
        ],
        ['told of otherwise', (copy) => writeFile(join(copy, 'manifest.json'), '{'), /damaged/],
      ];
      for (const [name, harm, said] of damage) {
        const copy = join(folder, name);
        await mkdir(copy);
        for (const file of await readdir(whole))
          await copyFile(join(whole, file), join(copy, file));
        await harm(copy);
        const { code, stderr } = await archive.cli('restore', copy);
        expect(code, name).to.equal(1);
        expect(stderr, name).to.match(said);
      }
      const none = await archive.cli('restore', join(folder, 'nowhere'));
      expect(none.stderr).to.match(/holds no whole backup: .* there is no such file or folder$/m);
      const { servers, threads } = archive.api.stores.mongo.collections;
      expect(await servers.countDocuments()).to.equal(0);
      expect(await threads.countDocuments()).to.equal(0);
      expect(await readRestore(archive.api.stores.mongo.collections)).to.equal(null);
      expect((await archive.cli('backup', whole)).stderr).to.match(/is not empty/);
    }));

  describe('of work that waits', () => {
    let stores: TestStores;
    let waiting: Waiting;
    beforeEach(async () => {
      stores = await openStores();
      waiting = await leaveWork(stores);
    });
    afterEach(() => stores.close());

    it('carry it out when an indexer finds it restored', () =>
      withTemporaryFolder(async (folder) => {
        await writeBackup(stores.mongo, folder);
        const after = await open();
        await run(after, 'restore', folder);
        const { mongo } = after.api.stores;
        const { deletions, erasures, importFiles, threads } = mongo.collections;
        const isDone = async () =>
          (await deletions.countDocuments()) === 0 &&
          (await erasures.countDocuments({ userId: { $exists: true } })) === 0 &&
          (await importFiles.countDocuments({ state: 'queued' })) === 0;
        await until(isDone);
        expect(await threads.findOne({ _id: waiting.deleted })).to.include({ deleted: true });
        expect((await after.api.get(`/api/threads/${waiting.deleted}`)).status).to.equal(404);
        expect((await after.api.get(`/users/${waiting.erased}`)).status).to.equal(404);
        expect((await after.api.get(`/api/threads/${waiting.imported}`)).status).to.equal(200);
        expect(await importFiles.findOne({ _id: waiting.upload })).to.include({
          state: 'imported',
        });
      }));

    it('let no indexer take up or discard any of it before everything is restored', () =>
      withTemporaryFolder(async (folder) => {
        await writeBackup(stores.mongo, folder);
        const target = await openStores();
        try {
          const deps = indexerDeps(target);
          const filed: string[] = [];
          const file = (name: string) => Promise.resolve(String(filed.push(name)));
          // An indexer that starts before any thread is restored would make the index.
          await deps.elasticsearch.indices.delete({ index: searchIndexName(deps.namespace, 1) });
          const counts = () => Promise.resolve({ waiting: 0, active: 0, delayed: 0, failed: 0 });
          const endFarDelays = () => Promise.resolve();
          const producer = { add: file, refile: file, endFarDelays, counts };
          const settings = { AUDIT_DAYS: 1 };
          const doChores = () => indexerChores(deps, { settings, producer })();
          const jobs: [JobName, object][] = [
            ['reindex-views', {}],
            ['verify', { repair: true }],
            ['delete-thread', { threadId: waiting.deleted }],
          ];
          const swept = sweptBetween(target.mongo, async (name) => {
            await doChores();
            await setMarks(deps, 'thread', [waiting.deleted]);
            expect(await runDue(deps), name).to.equal(false);
            // These jobs were asked for before the restore.
            for (const [job, payload] of jobs) {
              const ended = await createHandlers(deps)
                [job](payload)
                .catch((error: unknown) => error);
              expect(ended, `${job} after ${name}`).to.be.instanceOf(LookAgain);
            }
            const half = await writeBackup(target.mongo, join(folder, 'half')).catch(String);
            expect(half).to.match(/goes on, or was cut off: it is not whole yet$/);
          });
          await restoreBackup({ ...target, mongo: swept }, folder);
          expect(filed).to.deep.equal([]);
          await doChores();
          expect(new Set(filed)).to.have.all.keys('delete-thread', 'erase-user', 'import-file');
          const { pieces, work } = target.mongo.collections;
          expect(await pieces.countDocuments()).to.equal(2);
          const [mark, ...more] = await work.find({ kind: 'file' }).toArray();
          expect(more).to.deep.equal([]);
          expect(mark!.failure).to.include({ kind: 'file', reason: 'Error: x' });
          expect(isQuarantined(mark!)).to.equal(true);
        } finally {
          await target.close();
        }
      }));
  });
});

const codeOf = (error: { code: string }) => error.code;

/** The parameters of all verifications that have ended well. */
async function verifications({ api }: TestArchive): Promise<object[]> {
  const { namespace } = api.stores.mongo;
  const producer = createProducer({
    redisUrl: readSettings().REDIS_URL,
    namespace,
    timeoutMs: 120_000,
  });
  try {
    // Calls of the producer wait for the connection, but those of the queue itself do not.
    await producer.counts();
    const jobs = await producer.queue.getCompleted();
    return jobs.filter(({ name }) => name === 'verify').map(({ data }) => data as object);
  } finally {
    await producer.close();
  }
}

interface Waiting {
  /** What is to be deleted (threads), erased (a person), and imported (an upload). */
  deleted: string;
  imported: string;
  erased: string;
  upload: string;
}

/**
 * Makes an archive in which an old deletion, an old erasure and an old import wait, and another import is quarantined.
 */
async function leaveWork(stores: TestStores): Promise<Waiting> {
  const deps = indexerDeps(stores);
  const { collections } = deps;
  const { threads } = await restingArchive(deps, stores, 2);
  const [deleted, erased] = [threads[0]!.threadId, threads[1]!.starter.id];
  const long = new Date(Date.now() - 3_600_000);
  await requestDeletion(collections, 'thread', deleted);
  await requestErasure(collections, erased);
  await collections.deletions.updateMany({}, { $set: { requestedAt: long } });
  await collections.erasures.updateMany({}, { $set: { requestedAt: long } });
  // The ids of these uploads are old.
  const [upload, aside] = ['650000000000000000000001', '650000000000000000000002'];
  const messages = [anExportMessage()];
  for (const _id of [upload, aside]) {
    await storeUpload(collections, _id, bytesOf(anExport({ messages })));
    const file = { importId: 'x', name: 'a.json', bytes: 1, queuedAt: long };
    await collections.importFiles.insertOne({ ...file, _id, state: 'queued' });
  }
  // A piece of a body belongs to a view, so no backup holds it.
  const piece = { _id: pieceId(bodyOwner('thread/1', 1), 0), data: new Binary(), last: true };
  await collections.pieces.insertOne(piece);
  await collections.importFiles.updateOne({ _id: aside }, { $set: { state: 'rejected' } });
  const about = { kind: 'file' as const, subject: aside, threadId: null, revision: 0, count: 5 };
  const failure = failureOf(undefined, { ...about, reason: 'Error: x' });
  await collections.work.insertOne(failedMark('file', aside, failure));
  return { deleted, imported: messages[0]!.id, erased, upload };
}
