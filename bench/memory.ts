/**
 * Measures the memory of an API process whose response cache is full: `npm run bench -- memory`. The threads of a
 * generated archive are read one after the other, each three times. With the second read, an answer is also kept in a
 * form that is ready to be sent, and then takes the most memory. README.md says more.
 */
import { openArchive } from './archive/openArchive.js';
import { openStores } from './archive/openStores.js';
import { cpuSeconds, peakMegabytes, residentMegabytes } from './cpuTime.js';
import { Connection } from './load/connection.js';
import { requestsOf } from './load/runLoad.js';
import { optionsOrExit } from './options/memory.js';
import { markdownTable } from './report.js';
import { temporaryFolder } from './processes.js';
import { startApi, type MeasuredServer } from './servers.js';

const CONNECTIONS = 32;
const READS_EACH = 3;
const PARTS = 8;
const MEGABYTE = 1_048_576;
const HEADINGS = ['reads', 'cache (MB)', 'heap used', 'resident', 'most resident', 'CPU (s)'];

const { messages } = optionsOrExit(process.argv.slice(2));
const folder = temporaryFolder();
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
}

/** Reads all paths, an eighth of them at a time. After each eighth, it shows how much memory the process takes. */
async function fillCache({ url, pid = NaN }: MeasuredServer, paths: string[]): Promise<void> {
  const connections = Array.from({ length: CONNECTIONS }, () => new Connection(url));
  await Promise.all(connections.map((connection) => connection.open()));
  const rows = [await takenBy(url, pid, 0)];
  for (let part = 0; part < PARTS; part += 1) {
    const begin = Math.floor((part * paths.length) / PARTS);
    const end = Math.floor(((part + 1) * paths.length) / PARTS);
    for (let read = 0; read < READS_EACH; read += 1) {
      await askAll(connections, url, paths.slice(begin, end));
    }
    rows.push(await takenBy(url, pid, end * READS_EACH));
  }
  for (const connection of connections) connection.close();
  console.log(markdownTable(HEADINGS, rows));
}

/** Asks for each path once. Throws where an answer is not 200. */
async function askAll(connections: Connection[], url: string, paths: string[]): Promise<void> {
  const left = requestsOf({ url, paths, headers: { 'Accept-Encoding': 'gzip' } });
  await Promise.all(
    connections.map(async (connection) => {
      for (let next = left.pop(); next; next = left.pop()) {
        const status = await connection.ask(next);
        if (status !== 200) throw new Error(`A read was answered with ${status}`);
      }
    }),
  );
}

/** A row of the table: what the process takes after so many reads, by its own metrics and by the system. */
async function takenBy(url: string, pid: number, reads: number): Promise<string[]> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const megabytes = (name: string): number =>
    Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]) / MEGABYTE;
  return [
    String(reads),
    megabytes('forum_archive_response_cache_bytes').toFixed(1),
    megabytes('nodejs_heap_size_used_bytes').toFixed(1),
    String(residentMegabytes(pid)),
    String(peakMegabytes(pid)),
    String(cpuSeconds(pid)),
  ];
}
