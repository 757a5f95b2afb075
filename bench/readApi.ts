/** Thread detail, a stored body of 30 messages (about 23 kB): bare node:http, the API's cache, and its cold reads. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createMongo } from '../shared/platform/clients.js';
import { readSettings } from '../shared/platform/env.js';
import { storeBody } from '../test/support/apiViews.js';

const THREADS = 5_000;
const SECONDS = process.argv[2] ?? '5';

interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  non2xx: number;
  errors: number;
}

const mongodbUrl = readSettings().MONGODB_URL.replace(
  /^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?[^?]*/,
  `$1/bench_${randomUUID().slice(0, 8)}`,
);
const mongo = createMongo({ MONGODB_URL: mongodbUrl }, { timeoutMs: 20_000, poolSize: 10 });
const folder = mkdtempSync(join(tmpdir(), 'forum-archive-bench-'));
try {
  await run();
} finally {
  rmSync(folder, { recursive: true });
  await mongo.db.dropDatabase();
  await mongo.client.close();
}

async function run(): Promise<void> {
  const thread = aThread();
  const bytes = gzipSync(JSON.stringify(thread));
  const file = join(folder, 'body.gz');
  writeFileSync(file, bytes);
  for (let n = 1; n <= THREADS; n += 1) {
    await storeBody(mongo.collections, `thread/${n}`, { ...thread, id: String(n) });
  }
  console.log(`Body: ${JSON.stringify(thread).length} bytes, ${bytes.length} compressed`);
  const api = 'services/api/main.js';
  await measure('bare node:http', 'bench/bareServer.js', [file], {}, 1);
  await measure('API, in its cache', api, [], { CACHE_MEGABYTES: '64' }, 1);
  await measure('API, cold (cache off)', api, [], { CACHE_MEGABYTES: '0' }, THREADS);
  await measure('bare node:http', 'bench/bareServer.js', [file], {}, 1);
}

async function measure(
  name: string,
  script: string,
  args: string[],
  env: Record<string, string>,
  threads: number,
): Promise<void> {
  const server = start(script, args, {
    ...{ MONGODB_URL: mongodbUrl, PORT: '0', RATE_LIMIT_DISABLED: 'true', ...env },
  });
  try {
    const { url } = await line<{ url: string }>(server);
    await load(url, threads, '2');
    const { perSecond, p50, p99, non2xx, errors } = await load(url, threads, SECONDS);
    console.log(
      `${name.padEnd(24)} ${Math.round(perSecond)} requests/s, p50 ${p50} ms, p99 ${p99} ms` +
        (non2xx + errors > 0 ? `, ${non2xx} failed, ${errors} cut` : ''),
    );
  } finally {
    server.kill();
  }
}

function load(url: string, threads: number, seconds: string): Promise<Measured> {
  return line(start('bench/load.js', [url, '/api/threads/', String(threads), seconds], {}));
}

function start(script: string, args: string[], env: Record<string, string>): ChildProcess {
  const path = fileURLToPath(new URL(`../${script}`, import.meta.url));
  return spawn(process.execPath, [path, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** The first JSON line that a process prints; what comes after is read and thrown away, as a log shipper would. */
function line<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (data: Buffer) => {
      if (text.includes('\n')) return;
      text += data.toString();
      if (text.includes('\n')) resolve(JSON.parse(text.slice(0, text.indexOf('\n'))) as T);
    });
    child.on('exit', () => reject(new Error(`Ended before it said anything: ${text}`)));
  });
}

/** Deterministic words, so that runs compare. */
function aThread() {
  const words = 'when the build fails on a clean checkout try to clear its cache first'.split(' ');
  const said = (n: number) =>
    Array.from({ length: 45 }, (_, at) => words[(at * 7 + n * 3 + ((at * n) % 5)) % words.length]);
  const messages = Array.from({ length: 30 }, (_, n) => ({
    id: String(1_000_000_000_000_000_000n + BigInt(n * 7_919)),
    content: said(n).join(' '),
    contentHtml: `<p>${said(n).join(' ')}</p>`,
    author: {
      id: String(200_000_000_000_000_000n + BigInt(n % 6)),
      username: `user${n % 6}`,
      displayName: `User ${n % 6}`,
      avatar: 'https://cdn.discordapp.com/embed/avatars/0.png',
      isBot: false,
    },
    attachments: [],
    reactions: [],
    embeds: [],
    createdAt: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
    editedAt: null,
  }));
  return { id: '1', title: 'The build fails', messages, messageCount: messages.length };
}
