import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Binary, MongoClient } from 'mongodb';
import { expect } from 'chai';
import { EMPTY } from '../../../services/indexer/mirror/fileRecords.js';
import { createMirror } from '../../../services/indexer/mirror/mirror.js';
import { createProducer } from '../../../shared/jobs/producer.js';
import { openWritableMirror } from '../../../shared/mirror/openMirror.js';
import { readSettings } from '../../../shared/platform/env.js';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import { pieceId, uploadOwner } from '../../../shared/store/pieces.js';
import { failedMark, failureOf } from '../../../shared/store/quarantine.js';
import { documentId, ensureSearchIndex, searchAlias } from '../../../shared/store/searchIndex.js';
import { stateOf } from '../../../shared/store/state.js';
import { fileRecordId, syncOf } from '../../../shared/store/syncRecords.js';
import type { MemberView } from '../../../shared/store/views.js';
import { until, untilEqual } from '../../support/apiServer.js';
import { anId } from '../../support/factories.js';
import { startOwnMongod } from '../../support/ownMongod.js';
import { runIndexer } from '../../support/runIndexer.js';
import { end, startProcess, startService } from '../../support/serviceProcess.js';
import { openStores } from '../../support/stores.js';
import { suiteStores } from '../../support/suiteStores.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

const DAY_SECONDS = 86_400;

describe('the start of the indexer', () => {
  const stores = suiteStores('kept', { otherProcesses: true });

  it('needs only the role readWrite in MongoDB, also when AUDIT_DAYS changes', () =>
    withTemporaryFolder(async (folder) => {
      const { namespace } = stores.mongo;
      const keyFile = join(folder, 'key');
      await writeFile(keyFile, randomBytes(48).toString('base64'), { mode: 0o600 });
      const mongod = await startOwnMongod(folder, ['--replSet', 'rs0', '--keyFile', keyFile]);
      const urlOf = (user: string) =>
        `mongodb://${user}:pencil@${mongod.host}/${namespace}?replicaSet=rs0&authSource=admin`;
      const MONGODB_URL = urlOf('ada');
      const [root, client] = [new MongoClient(urlOf('root')), new MongoClient(MONGODB_URL)];
      try {
        const members = [{ _id: 0, host: mongod.host }];
        await mongod.ask({ replSetInitiate: { _id: 'rs0', members } });
        await until(async () => (await mongod.ask({ hello: 1 }))['isWritablePrimary'] === true);
        // From this machine, anybody may make one user, who then makes all others.
        await mongod.ask({ createUser: 'root', pwd: 'pencil', roles: ['root'] });
        const roles = [{ role: 'readWrite', db: namespace }];
        await root.db('admin').command({ createUser: 'ada', pwd: 'pencil', roles });
        for (const days of [365, 30]) {
          const indexer = await startService('indexer', { MONGODB_URL, AUDIT_DAYS: String(days) });
          await end(indexer, 'SIGTERM');
          const indexes = await client.db().collection('audit').indexes();
          expect(indexes.find(({ name }) => name === 'at')).to.have.property(
            'expireAfterSeconds',
            days * DAY_SECONDS,
          );
        }
      } finally {
        await Promise.all([root.close(), client.close()]);
        await mongod.stop();
      }
    }));

  it('leaves only the id in the name of a rejected file whose thread is deleted', async () => {
    const { mongo, mongodbUrl: MONGODB_URL } = stores;
    const { collections } = mongo;
    const [gone, kept] = [anId(), anId()];
    const thread = { serverId: anId(), channelId: anId(), asOf: 1, title: '', stamps: {} };
    await collections.threads.insertMany([
      { ...thread, _id: gone, deleted: true },
      { ...thread, _id: kept, title: 'Wombat' },
    ]);
    const file = { importId: 'import', bytes: 1, state: 'rejected', queuedAt: new Date() } as const;
    await collections.importFiles.insertMany([
      { ...file, _id: 'gone', name: `Quokka [${gone}].json` },
      { ...file, _id: 'kept', name: `Wombat [${kept}].json` },
    ]);
    const indexer = await startService('indexer', { MONGODB_URL });
    const nameOf = async (_id: string) => (await collections.importFiles.findOne({ _id }))?.name;
    try {
      await until(async () => (await nameOf('gone')) === `${gone}.json`);
      expect(await nameOf('kept')).to.equal(`Wombat [${kept}].json`);
    } finally {
      await end(indexer, 'SIGTERM');
    }
  });

  it('does each chore by itself, even in an archive without threads', async () => {
    const own = await openStores();
    const { mongo, elasticsearch, mongodbUrl: MONGODB_URL } = own;
    const { state, pieces, members, work } = mongo.collections;
    await ensureSearchIndex(elasticsearch, mongo.namespace);
    const id = documentId('thread', '1');
    const document = { kind: 'thread', threadId: '1' };
    const index = searchAlias(mongo.namespace);
    await elasticsearch.index({ index, id, document, version: 2, version_type: 'external' });
    const about = { kind: 'document', subject: id, threadId: '1', reason: '' } as const;
    const failure = failureOf(undefined, { ...about, revision: 1, count: 1 });
    await work.insertOne(failedMark('document', id, failure));
    const long = new Date(0);
    const retained = { index: 'dropped-by-hand', until: long };
    await stateOf(state, 'search').insertOne({ _id: 'search', targets: [], retained });
    const lease = { holder: 'it', until: long, problem: 'Its token was refused', perSecond: 0 };
    await stateOf(state, 'sync').insertOne({ _id: 'sync', ...lease });
    await stateOf(state, 'views').insertOne({ _id: 'views', renderer: 0, others: [] });
    const owner = uploadOwner('0'.repeat(24));
    await pieces.insertOne({ _id: pieceId(owner, 0), data: new Binary(), last: true });
    const member = { _id: '1/2', serverId: '1', userId: '2', periodDay: 0 };
    await members.insertOne(member as MemberView);
    const indexer = await startService('indexer', { MONGODB_URL });
    const left = async () => ({
      refusals: await work.countDocuments({ kind: 'document' }),
      retained: await state.countDocuments({ retained: { $exists: true } }),
      leases: await state.countDocuments({ _id: 'sync' }),
      renderers: await state.countDocuments({ renderer: 0 }),
      pieces: await pieces.countDocuments(),
      members: await members.countDocuments(),
    });
    const nothing = { refusals: 0, retained: 0, leases: 0, renderers: 0, pieces: 0, members: 0 };
    try {
      await untilEqual(left, nothing);
    } finally {
      await end(indexer, 'SIGTERM');
      await own.close();
    }
  });

  it('goes on with lost jobs, failed copies and lost indexes by itself', () =>
    withTemporaryFolder(async (folder) => {
      const own = await openStores();
      const { mongo } = own;
      const { state, sync, deletions, threads } = mongo.collections;
      const settings = readSettings({ ...process.env, MIRROR_FOLDER: folder });
      const { REDIS_URL: redisUrl } = settings;
      const producer = createProducer({
        redisUrl,
        namespace: mongo.namespace,
        timeoutMs: 120_000,
      });
      try {
        // A queue that holds a job is not idle.
        const later = { jobId: 'later', delay: 86_400_000 };
        await producer.counts();
        await producer.queue.add('verify', { repair: false }, later);
        const deletion = { kind: 'thread', subject: '1', requestedAt: new Date(0) } as const;
        await deletions.insertOne({ _id: 'thread-1', ...deletion });
        // The mirror was looked through, so nothing but the time of its next try brings up the file.
        const files = await openWritableMirror(settings, mongo.namespace);
        const { settings: same } = createMirror(settings, files!, null);
        await stateOf(state, 'mirror').insertOne({
          ...EMPTY,
          settings: same,
          checkedAt: new Date(),
        });
        const failed = { problem: 'It is away', tries: 1, dueAt: new Date(0) };
        const source = 'https://cdn.test/1.png';
        await syncOf(sync, 'file').insertOne({
          _id: fileRecordId('avatars/1'),
          kind: 'file',
          of: 'user/1',
          source,
          ...failed,
        });
        await threads.dropIndex('channelId');
        const indexer = await runIndexer(own, settings);
        const left = async () => ({
          deletions: await deletions.countDocuments(),
          files: await sync.countDocuments({ kind: 'file' }),
          isIndexed: await threads.indexExists('channelId'),
        });
        try {
          await untilEqual(left, { deletions: 0, files: 0, isIndexed: true });
        } finally {
          await indexer.stop();
        }
      } finally {
        await producer.close();
        await own.close();
      }
    }));

  it('ends with one line where MongoDB is a standalone server', () =>
    withTemporaryFolder(async (folder) => {
      const mongod = await startOwnMongod(folder, []);
      const MONGODB_URL = `mongodb://${mongod.host}/${stores.mongo.namespace}`;
      const indexer = startProcess('indexer', { MONGODB_URL });
      try {
        expect(await withTimeout(60_000, () => indexer.exited)).to.equal(1);
        // On a busy machine, another store may not answer in time, which is logged, too.
        const lines = indexer.log.filter(({ msg }) => !String(msg).startsWith('Waiting for'));
        expect(lines.map(({ level, msg }) => [level, msg])).to.deep.equal([
          [
            60,
            'MongoDB at MONGODB_URL is a standalone server, which has no transactions: start it with --replSet and initiate the replica set (one member is enough)',
          ],
        ]);
      } finally {
        await end(indexer, 'SIGKILL');
        await mongod.stop();
      }
    }));
});
