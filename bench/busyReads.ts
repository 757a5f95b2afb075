/**
 * What readers wait for while an archive grows: `npm run bench -- busyReads`. An archive is read at a constant rate,
 * first at rest, then while more is imported into it by the real command line and indexer. README.md says more.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { removeArchive } from './archive/openArchive.js';
import { openStores } from './archive/openStores.js';
import { generateArchive } from './generateArchive.js';
import { startImport, startIndexer, stopIndexer } from './importProcesses.js';
import { Connection } from './load/connection.js';
import { latenciesOf } from './load/percentiles.js';
import { requestsOf } from './load/runLoad.js';
import { ENDPOINTS } from './measurements.js';
import { optionsOrExit } from './options/busyReads.js';
import { readSample, type Sample } from './readSample.js';
import { markdownTable } from './report.js';
import { startApi } from './servers.js';

/** The archive that is read; its messages are as long as those that are imported meanwhile. */
const READ = { threads: 1_000, messages: 20_000, seed: 1 };
const MESSAGES_A_THREAD = 20;
/** Requests a second. */
const RATES = { thread: 20, participants: 20, list: 20, stats: 20, user: 20, search: 10 } as const;
const WARM_UP_SECONDS = 5;
const HEADERS = { 'Accept-Encoding': 'gzip' };

type Read = keyof typeof RATES;
/** How long the answers took that were asked for in some time (ms), by what was read. */
type Waits = Record<Read, number[]>;

const { messages, seconds } = optionsOrExit(process.argv.slice(2));
const folder = mkdtempSync(join(tmpdir(), 'forum-archive-bench-'));
const stores = await openStores(`bench_${randomUUID().slice(0, 8)}`);
const env = { ...process.env, MONGODB_URL: stores.mongodbUrl, LOG_LEVEL: 'warn' };
const indexer = startIndexer(env);
try {
  await generateArchive(join(folder, 'read'), READ);
  const threads = Math.ceil(messages / MESSAGES_A_THREAD);
  await generateArchive(join(folder, 'new'), { threads, messages, seed: 2 });
  await imported('read');
  const server = await startApi('api', folder, {
    ...{ MONGODB_URL: stores.mongodbUrl, CACHE_MEGABYTES: '0' },
  });
  try {
    await measure(server.url);
  } finally {
    await server.stop();
  }
} finally {
  await stopIndexer(indexer);
  await removeArchive(stores);
  await stores.close();
  rmSync(folder, { recursive: true });
}

async function imported(name: string): Promise<void> {
  const ended = await once(startImport(env, [join(folder, name)]), 'exit');
  const [code] = ended as [number | null];
  if (code !== 0) throw new Error(`The import ended with exit code ${code}`);
}

async function measure(url: string): Promise<void> {
  const questions = questionsOf(await readSample(url, undefined));
  await readUntil(url, questions, pause(WARM_UP_SECONDS * 1_000));
  const atRest = await readUntil(url, questions, pause(seconds * 1_000));
  const meanwhile = await readUntil(url, questions, imported('new'));
  report(atRest, meanwhile);
}

/** The paths that are asked for, by what is read: each another one than the one before. */
function questionsOf(sample: Sample): Record<Read, string[]> {
  const paths = Object.keys(RATES).map((name): [string, string[]] => {
    const { cold } = ENDPOINTS.find((endpoint) => endpoint.name === name)!;
    return [name, name === 'search' ? searchesOf(sample) : cold!(sample).paths];
  });
  return Object.fromEntries(paths) as Record<Read, string[]>;
}

/** Searches for every pair of words that stand in titles. */
function searchesOf({ titles }: Sample): string[] {
  const words = [...new Set(titles.flatMap((title) => title.split(' ')))];
  const pairs = words.flatMap((one, n) => words.slice(n + 1).map((other) => `${one} ${other}`));
  return pairs.map((q) => `/api/search?${new URLSearchParams({ q }).toString()}`);
}

/** Asks at the constant rates until something ends. Throws when an answer is not 200. */
async function readUntil(
  url: string,
  questions: Record<Read, string[]>,
  end: Promise<void>,
): Promise<Waits> {
  let isOver = false;
  const ended = end.finally(() => {
    isOver = true;
  });
  const reading = Object.entries(RATES).map(async ([name, rate]): Promise<[string, number[]]> => [
    name,
    await ask({ url, paths: questions[name as Read], rate, isOver: () => isOver }),
  ]);
  const [waits] = await Promise.all([Promise.all(reading), ended]);
  return Object.fromEntries(waits) as Waits;
}

/** Asks for paths in turn over one connection. Times count from when a request was due. */
async function ask(work: {
  url: string;
  paths: string[];
  rate: number;
  isOver: () => boolean;
}): Promise<number[]> {
  const { url, paths, rate, isOver } = work;
  const connection = new Connection(url);
  await connection.open();
  const requests = requestsOf({ url, paths, headers: HEADERS });
  const times: number[] = [];
  const began = performance.now();
  for (let n = 0; !isOver(); n += 1) {
    const due = began + (n * 1_000) / rate;
    await pause(Math.max(0, due - performance.now()));
    const status = await connection.ask(requests[n % requests.length]!);
    if (status !== 200) throw new Error(`GET ${paths[n % paths.length]!} was answered ${status}`);
    times.push(performance.now() - due);
  }
  connection.close();
  return times;
}

function report(atRest: Waits, meanwhile: Waits): void {
  const rows = (Object.keys(RATES) as Read[]).map((name) => {
    const [rest, busy] = [atRest[name], meanwhile[name]].map((times) =>
      latenciesOf(Float64Array.from(times)),
    );
    return [
      name,
      String(meanwhile[name].length),
      ...[rest!.p50, busy!.p50, rest!.p99, busy!.p99].map((ms) => ms.toFixed(1)),
      (busy!.p99 / rest!.p99).toFixed(2),
      busy!.max.toFixed(0),
    ];
  });
  const heads = ['p50 at rest', 'meanwhile', 'p99 at rest', 'meanwhile', 'p99 ratio', 'max'];
  console.log(`\n${markdownTable(['read', 'asked meanwhile', ...heads], rows)}`);
  console.log(`\nTimes in ms. The load average at the end was ${loadavg()[0]!.toFixed(1)}.`);
}
