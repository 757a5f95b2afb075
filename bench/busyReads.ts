/**
 * How long readers wait while an archive grows: `npm run bench -- busyReads`. An archive is read at a constant rate:
 * first at rest, then while the real command line and indexer import more into it, and then at rest once more. A bare
 * server is asked beside the API. README.md says more.
 */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { removeArchive } from './archive/openArchive.js';
import { openStores } from './archive/openStores.js';
import { generateArchive } from './generateArchive.js';
import { askInTurn } from './load/askInTurn.js';
import { latenciesOf } from './load/percentiles.js';
import { ENDPOINTS } from './measurements.js';
import { optionsOrExit } from './options/busyReads.js';
import { startProcess, stopProcess, temporaryFolder, type Start } from './processes.js';
import { readSample, type Sample } from './readSample.js';
import { markdownTable } from './report.js';
import { startApi, startFloor } from './servers.js';

/** The archive that is read. Threads of the imported archive have about as many messages. */
const READ = { threads: 1_000, messages: 20_000, seed: 1 };
const MESSAGES_A_THREAD = 20;
/** A server that only sends some bytes. Every program on this machine waits at least as long as its reader. */
const BARE = 'node:http';
const BARE_BYTES = 10_000;
/** Requests a second. */
const RATES = {
  thread: 20,
  participants: 20,
  list: 20,
  stats: 20,
  user: 20,
  search: 10,
  [BARE]: 20,
} as const;
const MOST_A_SECOND = Math.max(...Object.values(RATES));
const WARM_UP_SECONDS = 20;
const HEADERS = { 'Accept-Encoding': 'gzip' };

type Read = keyof typeof RATES;
/** For each kind of read: the server, and the paths that are asked for. */
type Questions = Record<Read, { url: string; paths: string[] }>;
/** For each kind of read: how long the answers in one part took (ms). */
type Waits = Record<Read, number[]>;

const { messages, seconds } = optionsOrExit(process.argv.slice(2));
const folder = temporaryFolder();
const stores = await openStores(`bench_${randomUUID().slice(0, 8)}`);
const env = { ...process.env, MONGODB_URL: stores.mongodbUrl, LOG_LEVEL: 'warn' };
const start: Start = { env, stdio: ['ignore', 'inherit', 'inherit'], ownSession: true };
const indexer = startProcess('indexer', start);
let importing: ChildProcess | undefined;
try {
  await generateArchive(join(folder, 'read'), READ);
  const threads = Math.ceil(messages / MESSAGES_A_THREAD);
  await generateArchive(join(folder, 'new'), { threads, messages, seed: 2 });
  await imported('read');
  const settings = { MONGODB_URL: stores.mongodbUrl, CACHE_MEGABYTES: '0' };
  const server = await startApi('api', folder, settings, { ownSession: true });
  try {
    await measureBeside(server.url);
  } finally {
    await server.stop();
  }
} finally {
  // Where a read has failed, an import may still run. It would write into the archive that is removed next.
  if (importing) await stopProcess(importing);
  await stopProcess(indexer);
  await removeArchive(stores);
  await stores.close();
}

async function imported(name: string): Promise<void> {
  importing = startProcess('cli', { ...start, args: ['import', join(folder, name)] });
  const [code] = (await once(importing, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`The import ended with exit code ${code}`);
}

/** Measures the API, and a bare server beside it. */
async function measureBeside(url: string): Promise<void> {
  const file = join(folder, 'bytes');
  writeFileSync(file, 'x'.repeat(BARE_BYTES));
  const bytes = { kind: 'bytes', file, headers: {}, status: 200 } as const;
  const bare = await startFloor(bytes, { ownSession: true });
  try {
    const sample = await readSample(url, undefined);
    await measure({ ...questionsOf(url, sample), [BARE]: { url: bare.url, paths: ['/'] } });
  } finally {
    await bare.stop();
  }
}

async function measure(questions: Questions): Promise<void> {
  await readUntil(questions, pause(WARM_UP_SECONDS * 1_000));
  const before = await readUntil(questions, pause(seconds * 1_000));
  const meanwhile = await readUntil(questions, imported('new'));
  const after = await readUntil(questions, pause(seconds * 1_000));
  report({ before, meanwhile, after });
}

/** For each kind of read of the API: the paths that are asked for in turn. */
function questionsOf(url: string, sample: Sample): Omit<Questions, typeof BARE> {
  const names = Object.keys(RATES).filter((name) => name !== BARE);
  const questions = names.map((name): [string, Questions[Read]] => {
    const { cold } = ENDPOINTS.find((endpoint) => endpoint.name === name)!;
    return [name, { url, paths: cold!(sample).paths }];
  });
  return Object.fromEntries(questions) as Omit<Questions, typeof BARE>;
}

/** Asks at the constant rates until `end` resolves. Throws where an answer is not 200. */
async function readUntil(questions: Questions, end: Promise<void>): Promise<Waits> {
  let endedAt = Infinity;
  const ended = end.finally(() => {
    endedAt = performance.now();
  });
  const began = performance.now();
  const reading = Object.entries(RATES).map(
    async ([name, perSecond], n, { length }): Promise<[string, number[]]> => {
      // Requests of different kinds are never due at the same moment.
      const first = began + (n / length) * (1_000 / MOST_A_SECOND);
      const asked = { ...questions[name as Read], headers: HEADERS, perSecond, first };
      return [name, await askInTurn({ ...asked, endedAt: () => endedAt })];
    },
  );
  const [waits] = await Promise.all([Promise.all(reading), ended]);
  return Object.fromEntries(waits) as Waits;
}

function report(waits: Record<'before' | 'meanwhile' | 'after', Waits>): void {
  const rows = (Object.keys(RATES) as Read[]).map((name) => {
    const [before, meanwhile, after] = [waits.before, waits.meanwhile, waits.after].map((of) =>
      latenciesOf(of[name]),
    );
    return [
      name,
      String(waits.meanwhile[name].length),
      ...[before, meanwhile, after].map((times) => times!.p50.toFixed(1)),
      ...[before, meanwhile, after].map((times) => times!.p99.toFixed(1)),
      (meanwhile!.p99 / before!.p99).toFixed(2),
      (meanwhile!.p99 / after!.p99).toFixed(2),
    ];
  });
  const times = ['before', 'meanwhile', 'after'];
  const heads = [
    'read',
    'asked meanwhile',
    ...times.map((time) => `p50 ${time}`),
    ...times.map((time) => `p99 ${time}`),
    'of that before',
    'of that after',
  ];
  console.log(`\n${markdownTable(heads, rows)}`);
  console.log(`\nTimes in ms. The load average at the end was ${loadavg()[0]!.toFixed(1)}.`);
}
