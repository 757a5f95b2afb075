import { expect } from 'chai';
import type { Redis } from 'ioredis';
import type { ThreadDetail } from '../../shared/contract/threads.js';
import type { FaultPoint } from '../../shared/platform/faultPoint.js';
import { readSettings } from '../../shared/platform/env.js';
import { verifyArchive } from '../../services/indexer/verify/verifyArchive.js';
import { until, untilEqual } from '../support/apiServer.js';
import { anExport, anExportMessage, anExportUser } from '../support/exportFiles.js';
import { anId } from '../support/factories.js';
import { indexerDeps } from '../support/indexerDeps.js';
import { runIndexer, type RunningIndexer } from '../support/runIndexer.js';
import { end, startService, urlOf, type ServiceProcess } from '../support/serviceProcess.js';
import { AT_ONCE, NEVER } from '../../shared/store/work.js';
import { openStores, type TestStores } from '../support/stores.js';
import { createArchiveClient, type ArchiveClient } from './archiveClient.js';

describe('an indexer that is killed', () => {
  let stores: TestStores;
  let api: ServiceProcess;
  let indexer: ServiceProcess | undefined;
  /** The indexer that lives. It runs in this process, because a process of its own takes a second to start. */
  let survivor: RunningIndexer | undefined;
  let client: ArchiveClient;

  before(async () => {
    stores = await openStores();
    api = await startService('api', env({ PORT: '0' }));
    client = createArchiveClient(() => urlOf(api));
  });
  afterEach(async () => {
    if (indexer) await end(indexer, 'SIGKILL');
    await survivor?.stop();
    survivor = undefined;
  });
  after(async () => {
    await end(api, 'SIGTERM');
    await stores.close();
  });

  const env = (more: Record<string, string>) => ({
    MONGODB_URL: stores.mongodbUrl,
    DISABLE_AUTH: 'true',
    RATE_LIMIT_DISABLED: 'true',
    ...more,
  });
  /**
   * After a death at one of these points, the next indexer waits until the claims of the dead one end. That takes long,
   * so there is one such point for each kind of work. After the other points, the test ends the claims itself.
   */
  const WAITED_FOR: FaultPoint[] = ['beforeRecords', 'viewsStored'];
  const survive = async (): Promise<void> => {
    survivor = await runIndexer(stores, readSettings({ ...process.env, ...env({}) }));
  };
  /** Runs an indexer that dies at a point, so many times, and then one that lives. */
  const dieAt = async (point: FaultPoint, times: number): Promise<void> => {
    for (let run = 1; run <= times; run += 1) {
      indexer = await startService('indexer', env({ FAULT_POINTS: `${point}:1` }));
      expect(await indexer.exited, `run ${run}`).to.equal('SIGKILL');
      await forgetLocks(stores.redis, stores.mongo.namespace);
      if (run < times || !WAITED_FOR.includes(point)) await endLeases();
    }
    await survive();
  };
  const statusOf = async (path: string) => (await client.ask('GET', path)).status;
  /** The words of a thread as they can be read now, or the status where it cannot be read. */
  const words = async (threadId: string): Promise<unknown> => {
    const answer = await client.ask('GET', `/api/threads/${threadId}`);
    if (answer.status !== 200) return answer.status;
    return (answer.body as ThreadDetail).messages.map(({ content }) => content);
  };
  const found = async (q: string): Promise<unknown> => {
    await stores.refreshSearch();
    const answer = await client.ask('GET', `/api/search?q=${q}&minScore=0.5`);
    if (answer.status !== 200) return answer.status;
    return (answer.body as { messageCount: number }).messageCount;
  };
  const marks = () => stores.mongo.collections.work.countDocuments();
  /** Ends at once the claims of a process that was killed. */
  const endLeases = () =>
    stores.mongo.collections.work.updateMany({ due: { $ne: NEVER } }, { $set: { due: AT_ONCE } });

  const CASES: [FaultPoint, number, string][] = [
    ['beforeRecords', 1, 'before its records were written'],
    ['recordsStored', 1, 'when its records were written, before its build began'],
    ['beforeBulk', 1, 'before its search documents were sent'],
    ['bulkSent', 2, 'when they were sent, before the answer was used, twice on the same job'],
    ['beforeViews', 2, 'before its views were stored, twice on the same job'],
    ['viewsStored', 1, 'when they were stored, before anybody was told'],
  ];
  const growing = new Map(CASES.map(([point]) => [point, aGrowingThread(`word${point}`)]));
  const deleted = aGrowingThread('deletedword');
  const eve = anExportUser({ id: '100000000000000777', name: 'eve', nickname: 'Eve' });
  const erased = anExport({
    messages: [
      anExportMessage({ content: 'kept' }),
      anExportMessage({ author: eve, content: 'erasedword' }),
    ],
  });

  it('does its work before any process is killed', async () => {
    await survive();
    const roots = [...growing.values(), deleted].map(({ before }) => before);
    const imports = [...roots, erased].map((body) =>
      client.perform({ method: 'POST', path: '/admin/import', body }),
    );
    expect(new Set(await Promise.all(imports))).to.deep.equal(new Set(['done']));
  });

  for (const [point, times, when] of CASES) {
    it(`loses nothing of an import: killed ${when}`, async () => {
      const { threadId, after } = growing.get(point)!;
      const done = client.perform({ method: 'POST', path: '/admin/import', body: after });
      await dieAt(point, times);
      expect(await done).to.equal('done');
      const said = ['one', 'two again', 'three'].map((text) => `word${point} ${text}`);
      await untilEqual(() => words(threadId), said);
      await untilEqual(() => found(`word${point}`), 3);
      await until(async () => (await marks()) === 0);
    });
  }

  it('deletes a thread completely, though killed twice in the same job between mark and messages', async () => {
    const { threadId } = deleted;
    const done = client.perform({ method: 'DELETE', path: `/admin/threads/${threadId}` });
    await dieAt('deletionMarked', 2);
    expect(await done).to.equal('done');
    await untilEqual(() => words(threadId), 404);
    await untilEqual(() => found('deletedword'), 0);
    const left = { threadId, content: { $ne: '' } };
    expect(await stores.mongo.collections.messages.countDocuments(left)).to.equal(0);
  });

  it('erases a person completely, though killed when the traces were found and marked', async () => {
    const done = client.perform({ method: 'DELETE', path: `/admin/users/${eve.id}` });
    await dieAt('erasureApplied', 1);
    expect(await done).to.equal('done');
    await untilEqual(() => words(erased.channel.id), ['kept']);
    await untilEqual(() => found('erasedword'), 0);
    await untilEqual(() => statusOf(`/users/${eve.id}`), 404);
  });

  it('leaves an archive that agrees with its records', async () => {
    await survive();
    await until(async () => (await marks()) === 0);
    const report = await verifyArchive(indexerDeps(stores));
    expect(report.differences).to.deep.equal([]);
    expect(report.clean).to.equal(true);
  });
});

/** Makes the queue notice at once, not only after a while, that nobody works on its jobs any more. */
async function forgetLocks(redis: Redis, namespace: string): Promise<void> {
  const queue = `${namespace}:archive`;
  const active = await redis.lrange(`${queue}:active`, 0, -1);
  if (active.length > 0) await redis.sadd(`${queue}:stalled`, ...active);
  await redis.del(`${queue}:stalled-check`, ...active.map((id) => `${queue}:${id}:lock`));
}

/** A thread with a word of its own, in two exports: as it was at first, and after it has grown and was edited. */
function aGrowingThread(word: string) {
  const [first, second, third] = [anId(), anId(), anId()];
  const say = (id: string, content: string) => anExportMessage({ id, content });
  const before = anExport({
    channel: { name: `Thread ${word}` },
    messages: [say(first, `${word} one`), say(second, `${word} two`)],
  });
  const after = {
    ...before,
    exportedAt: '2026-02-02T12:00:00+00:00',
    messages: [say(second, `${word} two again`), say(third, `${word} three`)],
    messageCount: 2,
  };
  return { threadId: before.channel.id, before, after };
}
