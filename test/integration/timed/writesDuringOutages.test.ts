import { expect } from 'chai';
import { createProducer, type QueueProducer } from '../../../shared/jobs/producer.js';
import { freePort } from '../../../services/local/ports.js';
import { newUploadId, storeUpload } from '../../../shared/store/uploads.js';
import { until, untilEqual } from '../../support/apiServer.js';
import { anExport, bytesOf } from '../../support/exportFiles.js';
import { openOutageArchive, type OutageArchive, type OwnStores } from '../../support/outages.js';
import { end, startProcess, type ServiceProcess } from '../../support/serviceProcess.js';

const FILES = 12;

/** How many times in a row a process may be held up for longer than the time in which it has to end. */
const LATE_ENDS = 3;

describe('the indexer while stores go and come back', () => {
  let stores: OwnStores;
  let archive: OutageArchive;
  let producer: QueueProducer;
  let indexer: ServiceProcess;
  before(async () => {
    archive = await openOutageArchive();
    ({ stores } = archive);
    const { namespace } = archive.mongo;
    producer = createProducer({ redisUrl: stores.redis.url, namespace, timeoutMs: 120_000 });
  });
  afterEach(async () => {
    await end(indexer, 'SIGKILL');
    for (const store of Object.values(stores)) {
      await store.thaw();
      await store.restart();
    }
  });
  after(async () => {
    await producer.close();
    await archive.close();
  });

  /** Files the jobs of some imports. Resolves with their uploads' ids. */
  async function fileImports(count: number): Promise<string[]> {
    const { collections } = archive.mongo;
    await until(() => producer.redis.status === 'ready');
    const uploads = Array.from({ length: count }, newUploadId);
    for (const uploadId of uploads) {
      await storeUpload(collections, uploadId, bytesOf(anExport()));
      await collections.importFiles.insertOne({
        _id: uploadId,
        importId: 'outage',
        name: 'outage.json',
        bytes: 1,
        state: 'queued',
        queuedAt: new Date(),
      });
      await producer.add('import-file', { uploadId, importId: 'outage' });
    }
    return uploads;
  }

  async function areImported(uploads: string[]): Promise<boolean> {
    const { importFiles, work } = archive.mongo.collections;
    // Messages that were stored by a try that failed later are unchanged at the next try.
    const state = { $in: ['imported' as const, 'unchanged' as const] };
    const done = { _id: { $in: uploads }, state };
    if ((await importFiles.countDocuments(done)) < uploads.length) return false;
    return (await work.countDocuments({ kind: 'thread' })) === 0;
  }

  /**
   * Waits for imports, and for the ends of their jobs. A job that was cut off would otherwise be done again in the next
   * test.
   */
  const untilDone = (uploads: string[]): Promise<void> =>
    until(async () => {
      if (!(await areImported(uploads)) || producer.redis.status !== 'ready') return false;
      const { active, waiting, delayed } = await producer.counts();
      return active + waiting + delayed === 0;
    });

  async function startIndexer(more: NodeJS.ProcessEnv = {}): Promise<void> {
    indexer = startProcess('indexer', { ...archive.env, ...more });
    await indexer.logged('The indexer is ready');
  }

  /** Expects that the service does not flood its log. A repeated complaint may be logged only now and then. */
  const expectFewComplaints = (most: number): void => {
    const complaints = indexer.log.filter(({ level }) => Number(level) >= 40);
    const times = complaints.map(({ time }) => Number(time));
    const minutes = Math.ceil((Math.max(...times) - Math.min(...times)) / 60_000);
    expect(complaints.length).to.be.below(most * Math.max(1, minutes));
  };
  /** Waits until the indexer logs that a store is away, after so many lines. */
  const untilNoticed = (store: keyof OwnStores, lines: number): Promise<void> =>
    until(() =>
      indexer.log
        .slice(lines)
        .some((line) =>
          store === 'redis'
            ? line['msg'] === 'A connection to Redis failed'
            : line['msg'] === 'A store is away' && line['store'] === store,
        ),
    );

  for (const store of ['elasticsearch', 'mongodb', 'redis'] as const) {
    it(`loses no job while ${store} is away, and continues by itself`, async () => {
      await startIndexer();
      const before = await fileImports(FILES);
      await stores[store].freeze();
      await pause(1_000);
      await stores[store].thaw();
      await untilDone(before);
      // Jobs that are filed now are worked on while the store is away.
      const during = await fileImports(FILES);
      const lines = indexer.log.length;
      await stores[store].kill();
      await untilNoticed(store, lines);
      await stores[store].restart();
      await untilDone(during);
      expect(await producer.counts()).to.include({ failed: 0 });
      expectFewComplaints(4 * FILES);
    });
  }

  it('reports jobs, threads, the queue and the stores on a port of its own', async () => {
    const metricsPort = await freePort();
    await startIndexer({ METRICS_PORT: String(metricsPort) });
    const uploads = await fileImports(2);
    await untilDone(uploads);
    const metrics = () => fetch(`http://127.0.0.1:${metricsPort}/metrics`);
    const told = (text: string, sample: string): number =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${sample} `))
          ?.slice(sample.length),
      );
    const done = 'forum_archive_job_duration_seconds_count{job="import-file",outcome="done"}';
    await until(async () => told(await (await metrics()).text(), done) >= 2);
    const lines = [
      'forum_archive_queue_jobs{state="failed"} 0',
      'forum_archive_store_up{store="mongodb"} 1',
      'forum_archive_oldest_pending_seconds 0',
      'forum_archive_quarantined 0',
    ];
    // What a store does not tell in time is left out.
    let text = '';
    await untilEqual(async () => {
      const response = await metrics();
      expect(response.status).to.equal(200);
      text = await response.text();
      return lines.filter((line) => !text.includes(`${line}\n`));
    }, []);
    expect(told(text, 'forum_archive_threads_projected_total')).to.be.at.least(2);
    expect((await fetch(`http://127.0.0.1:${metricsPort}/`)).status).to.equal(404);
  });

  it('frees a job on SIGTERM that waits for a frozen store; the next indexer takes it at once', async function () {
    this.retries(LATE_ENDS);
    await startIndexer();
    // Jobs may be left from the try before.
    await untilDone([]);
    await stores.elasticsearch.freeze();
    const uploads = await fileImports(2);
    await until(async () => (await producer.counts()).active === 2);
    indexer.kill('SIGTERM');
    expect(await indexer.exited).to.equal(0);
    expect(await producer.counts()).to.include({ active: 0, waiting: 2, failed: 0 });
    await stores.elasticsearch.thaw();
    await startIndexer();
    await untilDone(uploads);
  });

  it('ends on SIGTERM while Redis is frozen', async function () {
    this.retries(LATE_ENDS);
    await startIndexer();
    await stores.redis.freeze();
    indexer.kill('SIGTERM');
    const code = await indexer.exited;
    await stores.redis.thaw();
    expect(code).to.equal(0);
  });

  it('waits for every store at its start, logs for which, and then becomes ready', async () => {
    for (const store of Object.values(stores)) await store.kill();
    indexer = startProcess('indexer', archive.env);
    for (const name of ['Redis', 'MongoDB', 'Elasticsearch']) {
      await indexer.logged(`Waiting for ${name}`);
    }
    for (const store of Object.values(stores)) await store.restart();
    await indexer.logged('The indexer is ready');
    const uploads = await fileImports(1);
    await untilDone(uploads);
    expectFewComplaints(10);
  });
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
