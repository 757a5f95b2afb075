import { expect } from 'chai';
import { until, untilEqual } from '../../support/apiServer.js';
import { askOnce, type Answered, type Load } from '../../support/openLoop.js';
import {
  isDocumented,
  isGoodOrRefused,
  openOutageArchive,
  READ_KINDS,
  startSteadyLoad,
  type Fault,
  type OutageArchive,
  type OwnStores,
  type StoreName,
} from '../../support/outages.js';
import { end, startService, urlOf, type ServiceProcess } from '../../support/serviceProcess.js';

/** How many requests readers send a second. On a busy machine they may be fewer. */
const PER_SECOND = Number(process.env['LOAD_PER_SECOND'] ?? 60);

/** How many times in a row a process may be held up for longer than the time in which it has to end. */
const LATE_ENDS = 3;

/** How many of the latest answers of each kind are judged. */
const LATEST = 3;

describe('the API under load while stores go and come back', () => {
  let stores: OwnStores;
  let archive: OutageArchive;
  let api: ServiceProcess;
  let load: Load;
  let url: string;
  before(async () => {
    archive = await openOutageArchive();
    ({ stores } = archive);
    api = await startService('api', archive.env);
    url = urlOf(api);
    load = await startSteadyLoad(url, PER_SECOND);
  });
  after(async () => {
    await load.stop();
    await end(api, 'SIGTERM');
    await archive.close();
  });

  /** Whether the latest answers of each kind, to requests since then, are as documented. */
  const isAsDocumented = (since: number, away: StoreName | null): boolean =>
    READ_KINDS.every((kind) => {
      const ofKind = load.answers.filter((one) => one.kind === kind && one.sentAt >= since);
      const latest = ofKind.slice(-LATEST);
      return latest.length === LATEST && latest.every((answer) => isDocumented(answer, away));
    });
  const untilAsUsual = async (): Promise<void> => {
    const since = performance.now();
    await until(() => isAsDocumented(since, null));
  };
  const untilReady = (status: number) =>
    until(async () => (await askOnce(url, { kind: 'readyz', path: '/readyz' })).status === status);
  /** How many calls were made to a store so far. */
  const callsTo = async (store: StoreName): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const sample = `forum_archive_store_call_duration_seconds_count{store="${store}"} `;
    const line = text.split('\n').find((one) => one.startsWith(sample));
    return Number(line?.slice(sample.length));
  };

  it('answers as usual while every store is there', async () => {
    await untilAsUsual();
  });

  /**
   * Takes a store away until every answer is as documented, and brings it back. False where the process forgot before
   * what it had in memory: on a busy machine, it may take Redis for away, and then drops what it holds.
   */
  const isServedWithout = async (store: StoreName, fault: Fault): Promise<boolean> => {
    const lines = api.log.length;
    const isKnown = () =>
      api.log.slice(lines).some((line) => line['msg'] === AWAY && line['store'] === store);
    try {
      await (fault === 'frozen' ? stores[store].freeze() : stores[store].kill());
      await until(isKnown);
      const known = performance.now();
      const isForgotten = () =>
        store === 'mongodb' &&
        load.answers.some(
          ({ sentAt, kind, status }) => sentAt > known && kind === 'hot thread' && status === 503,
        );
      await until(() => isForgotten() || isAsDocumented(known, store));
      if (isForgotten()) return false;
      await untilReady(503);
      // Every request ends, although the store does not answer.
      await until(() => load.openSince > known);
      // Redis connections refuse by themselves.
      if (store !== 'redis') await untilNotAsked(() => callsTo(store), load);
      return true;
    } finally {
      await (fault === 'frozen' ? stores[store].thaw() : stores[store].restart());
    }
  };

  const faults: [StoreName, Fault][] = [
    // bench/outages.ts also kills these two.
    ['redis', 'frozen'],
    ['elasticsearch', 'frozen'],
    ['mongodb', 'frozen'],
    ['mongodb', 'killed'],
  ];
  for (const [store, fault] of faults) {
    it(`answers as documented while ${store} is ${fault}, and recovers by itself`, async () => {
      const began = performance.now();
      while (!(await isServedWithout(store, fault))) await untilAsUsual();
      await untilAsUsual();
      await untilReady(200);
      const answers = load.answers.filter(({ sentAt }) => sentAt >= began);
      expect(tell(answers.filter((answer) => !isGoodOrRefused(answer)))).to.deep.equal({});
    });
  }

  it('logs each store once as it goes and comes, and no failure of its own', () => {
    const failed = api.log.filter(({ msg }) => msg === 'A request failed');
    expect(failed.map(({ err }) => err)).to.deep.equal([]);
    const told = new Map<unknown, unknown[]>();
    for (const { msg, store } of api.log) {
      if (msg === AWAY || msg === BACK) told.set(store, [...(told.get(store) ?? []), msg]);
    }
    expect([...told.keys()]).to.include.members(['redis', 'elasticsearch', 'mongodb']);
    for (const [store, messages] of told) {
      const inTurn = messages.map((_, index) => (index % 2 === 0 ? AWAY : BACK));
      expect(messages, String(store)).to.deep.equal(inTurn);
    }
  });
});

const AWAY = 'A store is away';
const BACK = 'A store is back';

/** Waits for a while in which readers were answered and the store got no call. */
async function untilNotAsked(calls: () => Promise<number>, load: Load): Promise<void> {
  await until(async () => {
    const [before, answered] = [await calls(), load.answers.length];
    await until(() => load.answers.length > answered + 100);
    return (await calls()) === before;
  });
}

describe('an API process and stores that are away', () => {
  let stores: OwnStores;
  let archive: OutageArchive;
  let api: ServiceProcess | undefined;
  before(async () => {
    archive = await openOutageArchive();
    ({ stores } = archive);
  });
  afterEach(async () => {
    if (api) await end(api, 'SIGKILL');
    for (const store of Object.values(stores)) {
      await store.thaw();
      await store.restart();
    }
  });
  after(() => archive.close());

  const statusesOf = async (url: string, paths: string[]): Promise<Record<string, number>> => {
    const answers = await Promise.all(paths.map((path) => askOnce(url, { kind: path, path })));
    return Object.fromEntries(answers.map(({ kind, status }) => [kind, status]));
  };
  const untilServed = (url: string, expected: Record<string, number>): Promise<void> =>
    untilEqual(() => statusesOf(url, Object.keys(expected)), expected);

  const SERVED: Record<StoreName, Record<string, number>> = {
    mongodb: { '/api/threads/1': 503, '/api/threads': 503, '/openapi.json': 200 },
    elasticsearch: { '/api/threads/1': 200, '/api/threads': 200, '/api/search?q=anchor': 503 },
    redis: { '/api/threads/1': 200, '/api/threads': 200, '/api/search?q=anchor': 200 },
  };
  for (const store of ['mongodb', 'elasticsearch', 'redis'] as const) {
    it(`starts without ${store}, and serves what it can`, async () => {
      await stores[store].kill();
      api = await startService('api', archive.env);
      await untilServed(urlOf(api), { '/healthz': 200, '/readyz': 503, ...SERVED[store] });
    });
  }

  it('starts without any store, alive but not ready, and becomes ready with them', async () => {
    for (const store of Object.values(stores)) await store.kill();
    api = await startService('api', archive.env);
    const url = urlOf(api);
    const without = {
      '/healthz': 200,
      '/readyz': 503,
      '/api/threads/1': 503,
      '/openapi.json': 200,
    };
    await untilServed(url, without);
    for (const store of Object.values(stores)) await store.restart();
    await untilServed(url, { ...SERVED.redis, '/readyz': 200 });
  });

  it('answers the requests under way and ends on SIGTERM while every store is frozen', async function () {
    this.retries(LATE_ENDS);
    api = await startService('api', archive.env);
    const url = urlOf(api);
    await untilServed(url, { ...SERVED.redis, '/readyz': 200 });
    for (const store of Object.values(stores)) await store.freeze();
    const asked = ['/api/threads/11', '/api/search?q=boat', '/api/threads?limit=7', '/readyz'];
    const answered = statusesOf(url, asked);
    // When these are answered, everything that was asked before has arrived.
    for (let n = 0; n < 2; n += 1) await askOnce(url, { kind: 'healthz', path: '/healthz' });
    api.kill('SIGTERM');
    expect(await answered).to.deep.equal(Object.fromEntries(asked.map((path) => [path, 503])));
    expect(await api.exited).to.equal(0);
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
