/**
 * The memory of an API process whose response cache is full: `npm run bench -- memory`. Details of the threads of a
 * generated archive are read one thread after the other, each three times, as answers take most memory once they were
 * asked for again. `--messages N` sets the size of the archive (default 200,000).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openArchive } from './archive/openArchive.js';
import { openStores } from './archive/openStores.js';
import { cpuSeconds, peakMegabytes, residentMegabytes } from './cpuTime.js';
import { Connection } from './load/connection.js';
import { requestsOf } from './load/runLoad.js';
import { numberOf } from './options/parts.js';
import { markdownTable } from './report.js';
import { startApi, type MeasuredServer } from './servers.js';

const { values } = parseArgs({ options: { messages: { type: 'string', default: '200000' } } });
const messages = numberOf('messages', values.messages, 1_000, 10_000_000);

const CONNECTIONS = 32;
const READS_EACH = 3;
const PARTS = 8;
const MEGABYTE = 1_048_576;

const folder = mkdtempSync(join(tmpdir(), 'forum-archive-bench-'));
const stores = await openStores(`bench_${messages}`);
try {
  await openArchive(stores, { messages, withSearch: false });
  const threads = await stores.mongo.collections.threadItems
    .find({}, { projection: { _id: 1 } })
    .toArray();
  const server = await startApi('api', folder, { MONGODB_URL: stores.mongodbUrl });
  try {
    await fillCache(
      server,
      threads.map(({ _id: id }) => `/api/threads/${id}`),
    );
  } finally {
    await server.stop();
  }
} finally {
  await stores.close();
  rmSync(folder, { recursive: true });
}

async function fillCache({ url, pid = 0 }: MeasuredServer, paths: string[]): Promise<void> {
  const { hostname: host, port } = new URL(url);
  const open = Array.from({ length: CONNECTIONS }, async () => {
    const connection = new Connection({ host, port: Number(port) });
    await connection.open();
    return connection;
  });
  const connections = await Promise.all(open);
  const rows: (string | number)[][] = [await tell(url, pid, 0)];
  for (let part = 0; part < PARTS; part += 1) {
    const [begin, end] = [part, part + 1].map((n) => Math.floor((n * paths.length) / PARTS));
    for (let read = 0; read < READS_EACH; read += 1) {
      await askAll(connections, url, paths.slice(begin, end));
    }
    rows.push(await tell(url, pid, end! * READS_EACH));
  }
  for (const connection of connections) connection.close();
  const head = ['reads', 'cache (MB)', 'heap used', 'resident', 'most resident', 'CPU (s)'];
  console.log(
    markdownTable(
      head,
      rows.map((row) => row.map(String)),
    ),
  );
}

/** Asks for each path once. Throws where an answer is not 200. */
async function askAll(connections: Connection[], url: string, paths: string[]): Promise<void> {
  const left = requestsOf({ url, paths, headers: { 'Accept-Encoding': 'gzip' } });
  await Promise.all(
    connections.map(async (connection) => {
      for (let next = left.pop(); next; next = left.pop()) {
        const request = next;
        const status = await new Promise<number>((done) => connection.send(request, done));
        if (status !== 200) throw new Error(`A read was answered ${status}`);
      }
    }),
  );
}

/** A line of the table: what the process says of itself, and what the system says of it. */
async function tell(url: string, pid: number, reads: number): Promise<(string | number)[]> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const megabytes = (name: string): string =>
    (Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]) / MEGABYTE).toFixed(1);
  return [
    reads,
    megabytes('forum_archive_response_cache_bytes'),
    megabytes('nodejs_heap_size_used_bytes'),
    residentMegabytes(pid) ?? NaN,
    peakMegabytes(pid) ?? NaN,
    cpuSeconds(pid) ?? NaN,
  ];
}
