import { mock } from 'node:test';
import { expect } from 'chai';
import { waitForImport } from '../../../services/cli/import/waitForImport.js';
import type { Archive } from '../../../services/cli/openArchive.js';
import { importFile } from '../../../services/indexer/jobs/importFile.js';
import type { Producer } from '../../../shared/jobs/producer.js';
import { createMongo } from '../../../shared/platform/clients.js';
import { createElasticsearch } from '../../../shared/platform/createElasticsearch.js';
import { readSettings } from '../../../shared/platform/env.js';
import { THREAD_QUARANTINED } from '../../../shared/store/quarantine.js';
import { newUploadId, storeUpload } from '../../../shared/store/uploads.js';
import { newMark } from '../../../shared/store/work.js';
import { startProxy } from '../../support/apiProxy.js';
import { until } from '../../support/apiServer.js';
import { anExport, bytesOf } from '../../support/exportFiles.js';
import { doAll } from '../../support/indexerDeps.js';
import { poisoned } from '../../support/poison.js';
import { withDatabase } from '../../support/databases.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { readsOfEach } from '../../support/readsOfEach.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

describe('waitForImport', () => {
  const { stores, deps } = indexerSuite('kept', { otherProcesses: true });

  /** A queue that is not paused, with so many workers. */
  const producerWith = (workers: Producer['workers']) =>
    ({
      workers,
      queue: { isPaused: () => Promise.resolve(false) },
    }) as unknown as Archive['producer'];

  /** A store that is away until something is reported. `then` brings it back. */
  interface Away extends Pick<Archive, 'elasticsearch' | 'mongo'> {
    then: () => Promise<void>;
  }

  /** What is reported during an import of one file. The file waits until something is reported. */
  async function saidOf(
    importId: string,
    workers: Producer['workers'],
    { elasticsearch, mongo, then }: Partial<Away> = {},
  ): Promise<string[]> {
    const { importFiles } = stores.mongo.collections;
    const file = { importId, name: 'a.json', bytes: 1, queuedAt: new Date() };
    await importFiles.insertOne({ ...file, _id: importId, state: 'queued' });
    const said: string[] = [];
    let ended: Promise<unknown> = Promise.resolve();
    const say = (line: string): void => {
      said.push(line);
      const done = { state: 'imported', threadId: importId, messages: 1 } as const;
      ended = importFiles.updateOne({ _id: importId }, { $set: done }).then(then);
    };
    const producer = producerWith(workers);
    const progress = { advance: () => undefined, say };
    const archive = { ...stores, ...(elasticsearch && { elasticsearch }), ...(mongo && { mongo }) };
    const given = { ...archive, producer };
    const stored = new Map([[importId, 'a.json']]);
    const outcome = await waitForImport(given, importId, stored, progress);
    await ended;
    expect(outcome).to.include({ imported: 1, messages: 1 });
    return said;
  }

  it('reads the files of a large import a part at a time', async () => {
    const { importFiles } = stores.mongo.collections;
    const importId = newUploadId();
    const files = Array.from({ length: 2_500 }, (_, n) => ({
      ...{ _id: `${importId}${n}`, importId, name: `${n}.json`, bytes: 1, queuedAt: new Date() },
      ...{ state: 'imported' as const, messages: 2, threadId: `${n % 2_000}` },
      ...(n < 2 && { reason: THREAD_QUARANTINED }),
    }));
    await importFiles.insertMany(files);
    const stored = new Map(files.map(({ _id, name }) => [_id, name]));
    const given = { ...stores, producer: producerWith(() => Promise.resolve(1)) };
    const read = await readsOfEach(stores.mongo, importFiles, async () => {
      const progress = { advance: () => undefined, say: () => undefined };
      expect(await waitForImport(given, importId, stored, progress)).to.deep.equal({
        ...{ imported: 2_500, unchanged: 0, messages: 5_000, threads: 2_000 },
        ...{ rejected: [], quarantined: ['0', '1'] },
      });
    });
    expect(Math.max(...read)).to.be.at.most(1_001);
  });

  it('tells what the files wait for', async () => {
    const nowhere = readSettings({ ...process.env, ELASTICSEARCH_URL: 'http://127.0.0.1:1' });
    const away = createElasticsearch(nowhere, { timeoutMs: 5_000 });
    try {
      const [noIndexer, noRedis, noSearch] = await Promise.all([
        saidOf('1', () => Promise.resolve(0)),
        saidOf('2', () => Promise.reject(new Error('connect ECONNREFUSED'))),
        saidOf('3', () => Promise.resolve(1), { elasticsearch: away }),
      ]);
      expect(noIndexer).to.deep.equal([
        'No indexer is connected to the queue: the work waits until one is',
      ]);
      expect(noRedis).to.deep.equal([
        'Redis cannot be reached: connect ECONNREFUSED. The work waits until it can',
      ]);
      expect(noSearch[0]).to.match(
        /^Elasticsearch cannot be reached: .*ECONNREFUSED.*\. The work waits until it can$/,
      );
    } finally {
      await away.close();
    }
  });

  it('goes on waiting while MongoDB is away, and says so', async () => {
    const { hostname: host, port } = new URL(
      readSettings().MONGODB_URL.replace(/^mongodb:/, 'http:'),
    );
    const proxy = await startProxy({ host, port: Number(port || 27_017) });
    const address = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
    const MONGODB_URL = withDatabase(address, stores.mongo.namespace);
    const mongo = createMongo({ MONGODB_URL }, { timeoutMs: 300, poolSize: 2 });
    try {
      // On a busy machine, the first connection may take longer than the limit.
      const isConnected = () => mongo.client.connect().then(Boolean, () => false);
      await until(isConnected);
      await proxy.cut();
      const then = () => proxy.mend();
      const [told, ...more] = await saidOf('4', () => Promise.resolve(1), { mongo, then });
      expect(told).to.match(/^MongoDB cannot be reached: .*\. The work waits until it can$/);
      expect(more).to.deep.equal([]);
    } finally {
      await mongo.client.close();
      await proxy.close();
    }
  });

  it('says when all files are in, and what follows from them takes long', async () => {
    const { work } = stores.mongo.collections;
    const mark = newMark('channel', '1', { causes: ['import/follows'] });
    await work.insertOne(mark);
    const said: string[] = [];
    let ended: Promise<unknown> = Promise.resolve();
    const say = (line: string): void => {
      said.push(line);
      ended = work.deleteOne({ _id: mark._id });
    };
    const producer = producerWith(() => Promise.resolve(1));
    const progress = { advance: () => undefined, say };
    const archive = { ...stores, producer };
    // The clock of the machine may be set back meanwhile.
    const real = Date.now;
    const clock = mock.method(Date, 'now', () => real() - 3_600_000);
    await waitForImport(archive, 'follows', new Map(), progress).finally(() => {
      clock.mock.restore();
    });
    await ended;
    expect(said).to.deep.equal([
      'All files are in. What follows from them is being done, such as other threads that show a changed name',
    ]);
  });

  it('names the threads that were recorded but cannot be read', async () => {
    const document = anExport();
    const threadId = document.messages[0]!.id;
    const [importId, uploadId] = ['quarantined', newUploadId()];
    await storeUpload(deps.collections, uploadId, bytesOf(document));
    await deps.collections.importFiles.insertOne({
      _id: uploadId,
      importId,
      name: 'a.json',
      bytes: 1,
      state: 'queued',
      queuedAt: new Date(),
    });
    const failing = poisoned(deps, threadId, () => {
      throw new Error('It cannot be built');
    });
    await importFile(failing, { uploadId, importId });
    await doAll(deps);
    const producer = producerWith(() => Promise.resolve(1));
    const progress = { advance: () => undefined, say: () => undefined };
    const archive = { ...stores, producer };
    const stored = new Map([[uploadId, 'a.json']]);
    const outcome = await waitForImport(archive, importId, stored, progress);
    expect(outcome).to.deep.include({ imported: 1, quarantined: [threadId] });
  });

  it('names a rejected file by its path, although the record of its deleted thread has lost the name', async () => {
    const [importId, uploadId] = ['rejected', newUploadId()];
    await deps.collections.importFiles.insertOne({
      _id: uploadId,
      importId,
      name: '1.json',
      bytes: 1,
      state: 'rejected',
      reason: 'The thread was deleted from this archive',
      queuedAt: new Date(),
    });
    const producer = producerWith(() => Promise.resolve(1));
    const progress = { advance: () => undefined, say: () => undefined };
    const stored = new Map([[uploadId, 'exports/a.json']]);
    const archive = { ...stores, producer };
    const { rejected } = await waitForImport(archive, importId, stored, progress);
    expect(rejected).to.deep.equal([
      { file: 'exports/a.json', reason: 'The thread was deleted from this archive' },
    ]);
  });

  it('fails where the records of files are gone, as after the database was dropped', async () => {
    const file = { importId: 'lost', name: 'a.json', bytes: 1, queuedAt: new Date() };
    await deps.collections.importFiles.insertOne({ ...file, _id: 'kept', state: 'unchanged' });
    const producer = producerWith(() => Promise.resolve(1));
    const progress = { advance: () => undefined, say: () => undefined };
    const stored = new Map([
      ['kept', 'a.json'],
      ['gone', 'b.json'],
      ['also gone', 'c.json'],
    ]);
    const waiting = waitForImport({ ...stores, producer }, 'lost', stored, progress);
    expect(await rejectionOf(waiting)).to.match(/^The archive has lost 2 files of this import, /);
  });
});
