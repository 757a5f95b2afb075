import { expect } from 'chai';
import { until } from '../../support/apiServer.js';
import { askOnce, type Answered, type Load } from '../../support/openLoop.js';
import {
  isDocumented,
  openOutageArchive,
  runOutage,
  startSteadyLoad,
  type Fault,
  type OutageArchive,
  type OwnStores,
  type StoreName,
} from '../../support/outages.js';
import {
  end,
  startProcess,
  startService,
  urlOf,
  type ServiceProcess,
} from '../../support/serviceProcess.js';

/** The load, the API and its stores share the machine: 500 saturate two cores. */
const PER_SECOND = Number(process.env['LOAD_PER_SECOND'] ?? 150);
const AWAY_MS = 2_800;

describe('the API under load while stores go and come back', () => {
  let stores: OwnStores;
  let archive: OutageArchive;
  let api: ServiceProcess;
  let load: Load;
  let url: string;
  let perSecond: number;
  let slowestMs: number;
  before(async () => {
    archive = await openOutageArchive();
    ({ stores } = archive);
    api = await startService('api', archive.env);
    url = urlOf(api);
    ({ load, perSecond, slowestMs } = await startSteadyLoad(url, PER_SECOND));
  });
  after(async () => {
    await load.stop();
    await end(api, 'SIGTERM');
    await archive.close();
  });

  it('answers as usual while every store is there', () => {
    expect(load.answers.length).to.be.above(perSecond);
    expect(tell(load.answers.filter((answer) => !isDocumented(answer, null)))).to.deep.equal({});
  });

  const faults: [StoreName, Fault][] = [
    // bench/outages.ts also kills these two.
    ['redis', 'frozen'],
    ['elasticsearch', 'frozen'],
    ['mongodb', 'frozen'],
    ['mongodb', 'killed'],
  ];
  for (const [store, fault] of faults) {
    it(`answers as documented in time while ${store} is ${fault}, and recovers by itself`, async () => {
      const outage = await runOutage({ url, load, stores }, { store, fault, ms: AWAY_MS });
      const { answers, known, readiness, recoveryMs } = outage;
      expect(known.length).to.be.above(perSecond / 5);
      const isWrong = (answer: Answered) =>
        !isDocumented(answer, store) && !isDocumented(answer, null);
      expect(tell(answers.filter(isWrong))).to.deep.equal({});
      expect(tell(known.filter((answer) => !isDocumented(answer, store)))).to.deep.equal({});
      expect(Math.max(...answers.map(({ ms }) => ms))).to.be.below(3_000 + slowestMs);
      expect(Math.max(...known.map(({ ms }) => ms))).to.be.below(2_000 + slowestMs);
      expect(readiness.map(({ status }) => status)).to.deep.equal([503, 503]);
      expect(Math.max(...readiness.map(({ ms }) => ms))).to.be.below(1_000 + slowestMs);
      expect(recoveryMs).to.be.below(10_000);
    });
  }

  it('logged each store once as it went and came, and no failure of its own', () => {
    const failed = api.log.filter(({ msg }) => msg === 'A request failed');
    expect(failed.map(({ err }) => err)).to.deep.equal([]);
    const gone = api.log.filter(({ msg }) => msg === 'A store is away');
    // The cache and the queue are connections of their own.
    expect(gone.length).to.be.within(5, 7);
  });
});

describe('an API process and stores that are away', () => {
  let stores: OwnStores;
  let archive: OutageArchive;
  let api: ServiceProcess | undefined;
  before(async () => {
    archive = await openOutageArchive();
    ({ stores } = archive);
  });
  after(async () => {
    api?.kill('SIGKILL');
    await archive.close();
  });

  const SERVED: Record<StoreName, Record<string, number>> = {
    mongodb: { '/api/threads/1': 503, '/api/threads': 503, '/openapi.json': 200 },
    elasticsearch: { '/api/threads/1': 200, '/api/threads': 200, '/api/search?q=anchor': 503 },
    redis: { '/api/threads/1': 200, '/api/threads': 200, '/api/search?q=anchor': 200 },
  };
  for (const store of ['mongodb', 'elasticsearch', 'redis'] as const) {
    it(`starts without ${store}, and serves what it can`, async () => {
      await stores[store].kill();
      api = await startService('api', archive.env);
      const expected = { '/healthz': 200, '/readyz': 503, ...SERVED[store] };
      const seen = await Promise.all(
        Object.keys(expected).map(async (path) => [
          path,
          (await askOnce(urlOf(api!), { kind: path, path })).status,
        ]),
      );
      expect(Object.fromEntries(seen)).to.deep.equal(expected);
      await end(api, 'SIGKILL');
      await stores[store].restart();
    });
  }

  it('starts without any, is alive and not ready, and comes to life with them', async () => {
    for (const store of Object.values(stores)) await store.kill();
    api = startProcess('api', archive.env);
    const url = String((await api.logged('Listening'))['url']);
    const status = async (path: string) => (await askOnce(url, { kind: path, path })).status;
    expect(await status('/healthz')).to.equal(200);
    expect(await status('/readyz')).to.equal(503);
    expect(await status('/api/threads/1')).to.equal(503);
    expect(await status('/openapi.json')).to.equal(200);
    for (const store of Object.values(stores)) await store.restart();
    await until(async () => (await status('/readyz')) === 200);
    expect(await status('/api/threads/1')).to.equal(200);
    expect(await status('/api/search?q=anchor')).to.equal(200);
    expect(await status('/api/threads')).to.equal(200);
  });

  it('answers what was asked and ends on SIGTERM while every store is frozen', async () => {
    const url = String((await api!.logged('Listening'))['url']);
    for (const store of Object.values(stores)) await store.freeze();
    const asked = ['/api/threads/11', '/api/search?q=boat', '/api/threads?limit=7', '/readyz'];
    const answers = asked.map((path) => askOnce(url, { kind: path, path }));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const began = Date.now();
    api!.kill('SIGTERM');
    expect((await Promise.all(answers)).map(({ status }) => status)).to.deep.equal([
      ...[503, 503, 503, 503],
    ]);
    const code = await api!.exited;
    for (const store of Object.values(stores)) await store.thaw();
    expect(code).to.equal(0);
    expect(Date.now() - began).to.be.below(10_000);
  });
});

/** How many answers of each kind had which status. */
function tell(answers: Answered[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind, status, headers } of answers) {
    const what = `${kind} ${status} ${String(headers['x-cache'] ?? '')}`.trim();
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
}
