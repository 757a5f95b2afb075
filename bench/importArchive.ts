/**
 * Measures an import, from the files until everything is searchable. It imports a generated archive of 100,000 messages
 * (or the named folders) by the real command line and indexer, as processes. It measures the memory of both, and the
 * CPU time of all processes. Then the same processes build all views and search documents again. The floor comes last:
 * raw clients write the same records and index the same documents, but read, compare, render and count nothing.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { readThread } from '../services/indexer/build/readThread.js';
import type { FoldedMessages } from '../services/indexer/views/foldThread.js';
import { createMongo, createRedis, type Mongo } from '../shared/platform/clients.js';
import { createElasticsearch } from '../shared/platform/createElasticsearch.js';
import { batches } from '../shared/platform/batches.js';
import { readSettings } from '../shared/platform/env.js';
import { ensureIndexes } from '../shared/store/indexes.js';
import { searchAlias, searchIndexName, type SearchDocument } from '../shared/store/searchIndex.js';
import { searchIndexDefinition } from '../shared/store/searchMapping.js';
import { unshownPeople } from '../shared/store/unshownPeople.js';
import { indexerDeps } from '../test/support/indexerDeps.js';
import { withDatabase } from '../test/support/databases.js';
import { removeSearchAndKeys } from '../test/support/stores.js';
import { cpuOf, cpuSeconds, listed, peakMegabytes, serverProcesses } from './cpuTime.js';
import { generateArchive } from './generateArchive.js';
import { optionsOrExit } from './options/importArchive.js';
import { startProcess, stopProcess, temporaryFolder, type Start } from './processes.js';

const { threads, messages, folders } = optionsOrExit(process.argv.slice(2));
/** The fewest documents in a bulk request of the floor. */
const BULK_DOCUMENTS = 1_000;

const settings = readSettings();
const folder = temporaryFolder();
const elasticsearch = createElasticsearch(settings, { timeoutMs: 120_000 });
const redis = createRedis(settings.REDIS_URL, { timeoutMs: 10_000 });
try {
  await redis.connect();
  await measure(folders.length > 0 ? folders : [await generated()]);
} finally {
  redis.disconnect();
  await elasticsearch.close();
}

async function generated(): Promise<string> {
  await generateArchive(folder, { threads, messages, seed: 1 });
  return folder;
}

async function measure(imports: string[]): Promise<void> {
  const [imported, floor] = [openDatabase(), openDatabase()];
  try {
    const servers = await serverProcesses(imported, elasticsearch, redis);
    const whole = cpuOf(servers);
    await withIndexer(imported, async (start, indexer) => {
      const { used, seconds } = await runCli(start, ['import', ...imports]);
      const { megabytes, cpuSeconds } = indexer();
      const all = { 'command line': used.cpuSeconds, indexer: cpuSeconds, ...whole() };
      console.log(`Most memory: command line ${used.megabytes} MB, indexer ${megabytes} MB`);
      console.log(`CPU seconds: ${listed(all)}`);
      const rebuilding = cpuOf(servers);
      const rebuilt = await runCli(start, ['reindex', '--views']);
      const after = indexer();
      const spent = { indexer: after.cpuSeconds - cpuSeconds, ...rebuilding() };
      const times = [rebuilt.seconds, seconds].map((took) => took.toFixed(1));
      console.log(`Rebuilt in ${times[0]} s, the import took ${times[1]} s`);
      console.log(`Most memory of both: indexer ${after.megabytes} MB`);
      console.log(`CPU seconds of the rebuild: ${listed(spent)}`);
    });
    const raw = cpuOf(servers);
    const seconds = await writeRaw(imported, floor);
    console.log(
      `Floor (raw bulk writes of the same records and documents): ${seconds.toFixed(1)} s`,
    );
    console.log(`CPU seconds of it: ${listed(raw())}`);
  } finally {
    for (const mongo of [imported, floor]) {
      await removeSearchAndKeys({ mongo, elasticsearch, redis });
      await mongo.db.dropDatabase();
      await mongo.client.close();
    }
  }
}

function openDatabase(): Mongo {
  const MONGODB_URL = withDatabase(settings.MONGODB_URL, `bench_${randomUUID().slice(0, 8)}`);
  return createMongo({ MONGODB_URL }, { timeoutMs: 120_000, poolSize: 10 });
}

/** What a process has used: the most resident memory that it ever had, and CPU time. */
interface Used {
  megabytes: number;
  cpuSeconds: number;
}

/**
 * Starts an indexer as a process, and calls `work` with what it has used so far, and with how to start a command for
 * the same archive.
 */
async function withIndexer(
  { namespace }: Mongo,
  work: (start: Start, indexer: () => Used) => Promise<void>,
): Promise<void> {
  const env = {
    ...process.env,
    MONGODB_URL: withDatabase(settings.MONGODB_URL, namespace),
    LOG_LEVEL: 'warn',
  };
  const start: Start = { env, stdio: ['ignore', 'inherit', 'inherit'], ownSession: true };
  const indexer = startProcess('indexer', start);
  try {
    await work(start, watch(indexer));
  } finally {
    await stopProcess(indexer);
  }
}

/** Runs a command, which prints its own summary. */
async function runCli(start: Start, args: string[]): Promise<{ used: Used; seconds: number }> {
  const began = performance.now();
  const cli = startProcess('cli', { ...start, args });
  const used = watch(cli);
  const [code] = (await once(cli, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`${args[0]} failed`);
  return { used: used(), seconds: (performance.now() - began) / 1_000 };
}

/** Follows a process. The returned function gives what was last read of it. */
function watch({ pid = 0 }: ChildProcess): () => Used {
  const used: Used = { megabytes: 0, cpuSeconds: 0 };
  const read = (): void => {
    used.cpuSeconds = cpuSeconds(pid) ?? used.cpuSeconds;
    used.megabytes = peakMegabytes(pid) ?? used.megabytes;
  };
  const timer = setInterval(read, 100).unref();
  return () => {
    read();
    clearInterval(timer);
    return used;
  };
}

/** How long the raw clients take for the same records, views and search documents (s). */
async function writeRaw(from: Mongo, to: Mongo): Promise<number> {
  await ensureIndexes(to.collections);
  const index = searchIndexName(to.namespace, 1);
  const alias = searchAlias(to.namespace);
  await elasticsearch.indices.create({ index, ...searchIndexDefinition, aliases: { [alias]: {} } });
  let seconds = 0;
  for (const name of ['threads', 'messages', 'bodies', 'threadItems', 'contributions']) {
    for await (const batch of batches(from.db.collection(name).find(), { items: 1_000 })) {
      seconds += await timed(() => to.db.collection(name).insertMany(batch, { ordered: false }));
    }
  }
  for await (const batch of searchDocuments(from)) {
    const operations = batch.flatMap((document) => [{ index: { _index: index } }, document]);
    seconds += await timed(async () => {
      const { errors } = await elasticsearch.bulk({ operations });
      if (errors) throw new Error('The floor had search documents refused');
    });
  }
  return seconds + (await timed(() => elasticsearch.indices.refresh({ index })));
}

/**
 * The search documents of an archive, as its import sent them. They are made again from the records, because the index
 * does not keep the text of conversations.
 */
async function* searchDocuments(from: Mongo): AsyncGenerator<SearchDocument[]> {
  const deps = indexerDeps({
    mongo: from,
    elasticsearch,
    redis,
    logger: pino({ level: 'silent' }),
  });
  const { collections } = deps;
  const at = { version: 1, unshown: await unshownPeople(collections) };
  let batch: SearchDocument[] = [];
  for await (const thread of collections.threads.find()) {
    const add = ({ documents }: FoldedMessages): Promise<void> => {
      batch.push(...documents);
      return Promise.resolve();
    };
    const views = await readThread(deps, thread, at, { add });
    if (views) batch.push(views.document);
    if (batch.length < BULK_DOCUMENTS) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}
