import type { StdioOptions } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createMongo, createRedis, type Mongo } from '../../shared/platform/clients.js';
import { createElasticsearch } from '../../shared/platform/createElasticsearch.js';
import { readSettings } from '../../shared/platform/env.js';
import { syncOf } from '../../shared/store/syncRecords.js';
import { startDiscord } from '../../test/support/discord/startDiscord.js';
import type { DiscordDouble } from '../../test/support/discord/types.js';
import { withDatabase } from '../../test/support/databases.js';
import { removeSearchAndKeys } from '../../test/support/stores.js';
import { serverProcesses } from '../cpuTime.js';
import { startProcess, stopProcess, temporaryFolder } from '../processes.js';
import { startApi, type MeasuredServer } from '../servers.js';

/** How long the platform takes to answer a request (ms). */
const PLATFORM_MS = 50;
const LOOK_EVERY_MS = 5;
/** Of a process, only what it writes to standard error is shown. */
export const QUIET: StdioOptions = ['ignore', 'ignore', 'inherit'];
/** After so long (ms), the wait for an event to be shown is given up. */
const PATIENCE_MS = 120_000;

/** A double of the platform, with a real indexer and a real API that follow it. */
export interface LiveRig {
  discord: DiscordDouble;
  mongo: Mongo;
  api: MeasuredServer;
  indexerPid: number;
  /** The environment for further processes on the same archive. */
  env: NodeJS.ProcessEnv;
  folder: string;
  /** The ids of all processes whose CPU time counts, by name. */
  processes(): Promise<Record<string, number>>;
  stop(): Promise<void>;
}

/** Starts all of it. `fill` makes the servers of the double. */
export async function startLiveRig(fill: (discord: DiscordDouble) => void): Promise<LiveRig> {
  const settings = readSettings();
  const discord = await startDiscord({ startAt: Date.now(), history: null });
  fill(discord);
  discord.faults.latencyMs = PLATFORM_MS;
  const namespace = `bench_${randomUUID().slice(0, 8)}`;
  const MONGODB_URL = withDatabase(settings.MONGODB_URL, namespace);
  const mongo = createMongo({ MONGODB_URL }, { timeoutMs: 120_000, poolSize: 10 });
  const folder = temporaryFolder();
  const added = {
    MONGODB_URL,
    LOG_LEVEL: 'warn',
    DISCORD_API_URL: discord.url,
    DISCORD_BOT_TOKEN: discord.token,
  };
  const env = { ...process.env, ...added };
  const indexer = startProcess('indexer', { env, stdio: QUIET });
  const api = await startApi('api', folder, added);
  const elasticsearch = createElasticsearch(settings, { timeoutMs: 120_000 });
  const redis = createRedis(settings.REDIS_URL, { timeoutMs: 10_000 });
  await redis.connect();
  const indexerPid = indexer.pid ?? 0;
  return {
    discord,
    mongo,
    api,
    indexerPid,
    env,
    folder,
    async processes() {
      const servers = await serverProcesses(mongo, elasticsearch, redis);
      return {
        indexer: indexerPid,
        API: api.pid ?? 0,
        'the platform’s double': process.pid,
        ...servers,
      };
    },
    async stop() {
      await api.stop();
      await stopProcess(indexer);
      await discord.close();
      await removeSearchAndKeys({ mongo, elasticsearch, redis });
      await mongo.db.dropDatabase();
      await mongo.client.close();
      redis.disconnect();
      await elasticsearch.close();
    },
  };
}

/** How many threads are known, and how many of these are still to be fetched. */
export async function syncedThreads({ mongo }: LiveRig): Promise<{ found: number; left: number }> {
  const threads = syncOf(mongo.collections.sync, 'thread');
  const [found, left] = await Promise.all([
    threads.countDocuments({ kind: 'thread' }),
    threads.countDocuments({ kind: 'thread', todo: { $exists: true } }),
  ]);
  return { found, left };
}

/** Waits until so many threads are fetched, and built. */
export async function untilFetched(rig: LiveRig, threads: number): Promise<void> {
  for (;;) {
    const { found, left } = await syncedThreads(rig);
    if (found >= threads && left === 0 && (await isBuilt(rig))) return;
    await pause(200);
  }
}

/** Whether no thread is still to be built. */
export async function isBuilt({ mongo }: LiveRig): Promise<boolean> {
  return (await mongo.collections.work.countDocuments({ kind: 'thread' })) === 0;
}

/** How long it takes until the API shows a text in a thread (ms). Throws where it takes too long. */
export async function timeUntilShown(
  { api }: LiveRig,
  threadId: string,
  text: string,
): Promise<number> {
  const began = performance.now();
  while (performance.now() - began < PATIENCE_MS) {
    const answer = await fetch(`${api.url}/api/threads/${threadId}`);
    if ((await answer.text()).includes(text)) return performance.now() - began;
    await pause(LOOK_EVERY_MS);
  }
  throw new Error(`Thread ${threadId} does not show an event after ${PATIENCE_MS / 1_000} s`);
}
