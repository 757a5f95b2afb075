/** Measures every public endpoint, and a floor for each: `npm run bench`. README.md says how and why. */
import { writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openArchive, removeArchive } from './archive/openArchive.js';
import { openStores, type BenchStores } from './archive/openStores.js';
import { serverProcesses } from './cpuTime.js';
import { startClient, type LoadClient } from './load/startClient.js';
import type { LoadJob } from './load/runLoad.js';
import { ENDPOINTS, modesOf, type ColdFloor, type Endpoint, type Mode } from './measurements.js';
import { isAskedFor, optionsOrExit, type BenchOptions } from './options/endpoints.js';
import { readSample, type Sample } from './readSample.js';
import { processTable, ratioTable, type Measured } from './report.js';
import { temporaryFolder } from './processes.js';
import { startApi, startFloor, type MeasuredServer } from './servers.js';
import type { FloorTask } from './floor/floorTask.js';
import { readSettings } from '../shared/platform/env.js';
import { searchAlias } from '../shared/store/searchIndex.js';

const GZIP = { 'Accept-Encoding': 'gzip' };
const WARM_UP_SECONDS = 0.5;
/** For so long (ms), a server that is too busy is asked again for the answer that the floor will send. */
const PATIENCE_MS = 30_000;

/** What is measured, and with what. */
interface Bench {
  options: BenchOptions;
  folder: string;
  sample: Sample;
  client: LoadClient;
  /** One server with the default cache, and one without a cache. */
  servers: Record<'warm' | 'cold', MeasuredServer>;
  /** Undefined where the server is at an address of its own, without known stores. */
  stores: BenchStores | undefined;
  /** The processes of the stores. */
  pids: Record<string, number>;
}

/** One measurement: an endpoint in a mode, with so many connections. */
interface Wanted {
  endpoint: Endpoint;
  mode: Mode;
  connections: number;
}

const options = optionsOrExit(process.argv.slice(2));
const wanted = wantedOf(options);
const folder = temporaryFolder();
process.exitCode = await run();

function wantedOf({ only, connections }: BenchOptions): Wanted[] {
  return ENDPOINTS.flatMap((endpoint) =>
    modesOf(endpoint)
      .filter((mode) => isAskedFor(`${mode}/${endpoint.name}`, only))
      .flatMap((mode) => connections.map((count) => ({ endpoint, mode, connections: count }))),
  );
}

/** Resolves with the exit code, which is 1 where requests failed. */
async function run(): Promise<number> {
  const stores = options.url === undefined ? await openOwnArchive() : undefined;
  const client = startClient();
  const servers = await startServers(stores);
  try {
    const pids = stores
      ? await serverProcesses(stores.mongo, stores.elasticsearch, stores.redis)
      : {};
    const sample = await readSample(servers.warm.url, options.serverId);
    const bench: Bench = { options, folder, sample, client, servers, stores, pids };
    const measured: Measured[] = [];
    for (const [n, one] of wanted.entries()) {
      const { endpoint, mode, connections } = one;
      const result = await measure(bench, one);
      measured.push(result);
      console.log(
        `${n + 1} of ${wanted.length}: ${mode}/${endpoint.name}, ${connections} connections: ${shortly(result)}`,
      );
    }
    report(bench, measured);
    return measured.some(({ runs, floors }) => [...runs, ...floors].some((one) => one.failures > 0))
      ? 1
      : 0;
  } finally {
    client.stop();
    await Promise.all(Object.values(servers).map((server) => server.stop()));
    if (stores && options.drop) await removeArchive(stores);
    await stores?.close();
  }
}

async function openOwnArchive(): Promise<BenchStores> {
  const { messages } = options;
  const stores = await openStores(`bench_${messages}`);
  const withSearch = wanted.some(
    ({ endpoint: { name } }) => name === 'search' || name === 'suggest',
  );
  await openArchive(stores, { messages, withSearch });
  return stores;
}

async function startServers(stores: BenchStores | undefined): Promise<Bench['servers']> {
  if (!stores) {
    const server = { url: options.url!, stop: () => Promise.resolve() };
    return { warm: server, cold: server };
  }
  const env = { MONGODB_URL: stores.mongodbUrl };
  return {
    warm: await startApi('warm', folder, env),
    cold: await startApi('cold', folder, { ...env, CACHE_MEGABYTES: '0' }),
  };
}

/** Runs a server and its floor in turn. */
async function measure(bench: Bench, one: Wanted): Promise<Measured> {
  const { mode, connections, endpoint } = one;
  const isCold = mode === 'cold' || mode === 'steady-cold';
  const server = bench.servers[isCold ? 'cold' : 'warm'];
  const { job, floor } = isCold ? coldJob(bench, endpoint) : await hotJob(bench, one);
  const base: Omit<LoadJob, 'url' | 'pids'> = {
    ...job,
    connections,
    seconds: options.seconds,
    warmUpSeconds: WARM_UP_SECONDS,
  };
  const floorServer = floor && (await startFloor(floor.task));
  try {
    const load = (asked: MeasuredServer, more: Partial<LoadJob>) =>
      bench.client.run({
        ...base,
        url: asked.url,
        ...more,
        pids: { ...(asked.pid === undefined ? {} : { Server: asked.pid }), ...bench.pids },
      });
    const rate = mode.startsWith('steady') ? await rateOf(() => load(server, {})) : undefined;
    const more = rate === undefined ? {} : { perSecond: rate };
    const result: Measured = {
      name: `${mode}/${endpoint.name}`,
      connections,
      runs: [],
      floors: [],
    };
    for (let turn = 0; turn < options.runs; turn += 1) {
      result.runs.push(await load(server, more));
      if (floorServer) {
        result.floors.push(await load(floorServer, { ...more, paths: floor.paths }));
      }
    }
    return rate === undefined ? result : { ...result, rate };
  } finally {
    await floorServer?.stop();
  }
}

type Job = Pick<LoadJob, 'paths' | 'headers' | 'status'>;

/** What is sent to the server, and what its floor does, if there is one. */
interface Planned {
  job: Job;
  floor: { task: FloorTask; paths: string[] } | undefined;
}

/** The rate of requests: half of what a closed loop reaches, unless the options give one. */
async function rateOf(load: () => Promise<{ perSecond: number }>): Promise<number> {
  return options.rate ?? Math.max(1, Math.round((await load()).perSecond / 2));
}

async function hotJob(bench: Bench, { endpoint, mode }: Wanted): Promise<Planned> {
  const path = endpoint.hot(bench.sample);
  const url = bench.servers.warm.url + path;
  const accepted: Record<string, string> = mode === 'plain' ? {} : GZIP;
  const whole = await fetchAnswer(url, accepted, 200);
  const isUnchanged = mode === 'unchanged';
  const headers = isUnchanged ? { ...accepted, 'If-None-Match': whole.headers['etag']! } : accepted;
  const answer = isUnchanged ? await fetchAnswer(url, headers, 304) : whole;
  const file = join(bench.folder, 'body');
  writeFileSync(file, answer.bytes);
  const { status } = answer;
  return {
    job: { paths: [path], headers, status },
    floor: { task: { kind: 'bytes', file, headers: answer.headers, status }, paths: ['/'] },
  };
}

function coldJob(bench: Bench, endpoint: Endpoint): Planned {
  const { paths, floor } = endpoint.cold!(bench.sample);
  return {
    job: { paths, headers: GZIP, status: 200 },
    floor: bench.stores && {
      task: coldTask(bench, bench.stores, floor),
      paths: floor.kind === 'search' ? floor.questions.map((_, n) => `/${n}`) : floor.paths,
    },
  };
}

function coldTask(
  { folder }: Bench,
  { mongo, mongodbUrl }: BenchStores,
  floor: ColdFloor,
): FloorTask {
  if (floor.kind !== 'search') return { kind: floor.kind, mongodbUrl };
  const file = join(folder, 'questions.json');
  writeFileSync(file, JSON.stringify(floor.questions));
  const { ELASTICSEARCH_URL } = readSettings();
  return {
    kind: 'search',
    url: `${ELASTICSEARCH_URL}/${searchAlias(mongo.namespace)}/_search`,
    file,
  };
}

/** Fetches an answer with the wanted status. A server that is away for a moment is asked again. */
async function fetchAnswer(
  url: string,
  headers: Record<string, string>,
  status: number,
): Promise<FetchedAnswer> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await fetchBytes(url, headers);
    if (answer.status === status) return answer;
    if (answer.status !== 503 || performance.now() > until) {
      throw new Error(`GET ${url} was answered with ${answer.status}, not with ${status}`);
    }
    await pause(500);
  }
}

interface FetchedAnswer {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
}

/** Fetches an answer as it is sent, with the headers that belong to its body. */
function fetchBytes(url: string, headers: Record<string, string>): Promise<FetchedAnswer> {
  return new Promise((resolve, reject) => {
    get(url, { headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => {
        const sent = ['content-type', 'content-encoding', 'etag'].flatMap((name) => {
          const value = answer.headers[name];
          return typeof value === 'string' ? [[name, value]] : [];
        });
        const kept = Object.fromEntries(sent) as Record<string, string>;
        resolve({ status: answer.statusCode ?? 0, headers: kept, bytes: Buffer.concat(parts) });
      });
    }).on('error', reject);
  });
}

function shortly({ runs, floors }: Measured): string {
  const of = (some: Measured['runs']): string =>
    some.map(({ perSecond }) => perSecond.toFixed(0)).join(', ');
  return `${of(runs)} requests/s${floors.length > 0 ? `, floor ${of(floors)}` : ''}`;
}

function report({ sample }: Bench, measured: Measured[]): void {
  const table = ratioTable(measured);
  console.log(`\n${table}\n`);
  const cores = cpus();
  const archive =
    options.url === undefined
      ? `a generated archive of ${options.messages.toLocaleString('en')} messages`
      : 'the archive of another server';
  writeFileSync(
    options.results,
    `# Results of \`npm run bench\`

Written by the benchmark itself, over ${archive}: ${options.runs} runs of ${options.seconds} s each, the server and its floor in turns. The hot thread has ${sample.middling.messageCount} messages. ${cores.length} cores (${cores[0]?.model ?? 'unknown'}) for servers, stores and load client together, Node ${process.versions.node}; the load average at the end was ${loadavg()[0]!.toFixed(1)}. README.md says what is measured and how to read this.

${table}

CPU time of a request and the most resident memory, by process:

${processTable(measured)}
`,
  );
  console.log(`Written to ${options.results}`);
}
