import { MongoClient, type Db, type MongoClientOptions } from 'mongodb';
import { Redis } from '../drivers/ioredis.js';
import { collectionsOf, type Collections } from '../store/collections.js';
import type { Settings } from './env.js';
import { SettingsError } from './settingsError.js';

/** MongoDB, opened lazily: creating it needs no server. */
export interface Mongo {
  client: MongoClient;
  db: Db;
  collections: Collections;
  /** The database's name: also the prefix of Redis keys, queues and search indexes. */
  namespace: string;
}

/**
 * Milliseconds between two looks of the driver at its idle connections. Its own 100 wake a process at rest ten times a
 * second, which took 0.3 % of a core, and it takes no other number among the options of a client.
 */
const POOL_CHECK_MS = 5_000;

/**
 * A MongoDB client with majority writes and a time limit on every call. Throws SettingsError for a URL it cannot use.
 */
export function createMongo(
  settings: Pick<Settings, 'MONGODB_URL'>,
  limits: { timeoutMs: number; poolSize: number },
): Mongo {
  const client = clientOf(settings.MONGODB_URL, {
    appName: 'forum-archive',
    maxPoolSize: limits.poolSize,
    serverSelectionTimeoutMS: limits.timeoutMs,
    connectTimeoutMS: limits.timeoutMs,
    socketTimeoutMS: limits.timeoutMs,
    waitQueueTimeoutMS: limits.timeoutMs,
    writeConcern: { w: 'majority' },
    ignoreUndefined: true,
  });
  Object.assign(client.options, { minPoolSizeCheckFrequencyMS: POOL_CHECK_MS });
  reopenUntilOpen(client);
  const namespace = databaseName(settings.MONGODB_URL);
  const db = client.db(namespace);
  return { client, db, collections: collectionsOf(db), namespace };
}

function clientOf(url: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch (error) {
    throw new SettingsError([`MONGODB_URL cannot be used: ${(error as Error).message}`]);
  }
}

/**
 * Pings MongoDB. The client is connected first: after a first connection that failed, the driver does not do so by
 * itself.
 */
export async function pingMongo(
  { client, db }: Pick<Mongo, 'client' | 'db'>,
  limitMs: number,
): Promise<void> {
  await client.connect();
  await db.command({ ping: 1 }, { signal: AbortSignal.timeout(limitMs) });
}

const REOPEN_AFTER_MS = 250;

/**
 * The driver gives a client up for good when its first connection fails, because the server was away or frozen then. So
 * the client is connected again until that succeeds, or until it is closed.
 */
function reopenUntilOpen(client: MongoClient): void {
  let isSettled = false;
  const close = client.close.bind(client);
  client.close = (...options) => {
    isSettled = true;
    return close(...options);
  };
  const reopen = (): void => {
    if (!isSettled) client.connect().catch(() => undefined);
  };
  client.once('open', () => (isSettled = true));
  client.on('topologyClosed', () => {
    if (!isSettled) setTimeout(reopen, REOPEN_AFTER_MS).unref();
  });
}

/** Databases that MongoDB keeps for itself: it allows no transactions in them. */
const ITS_OWN: ReadonlySet<string> = new Set(['admin', 'config', 'local']);
const LONGEST_NAME_BYTES = 63;

/**
 * The database a MongoDB URL names in its path, else `forum-archive`. Throws SettingsError for a name that MongoDB
 * refuses or keeps for itself.
 */
export function databaseName(url: string): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]*)/.exec(url)?.[1];
  const name = path ? decodeURIComponent(path) : 'forum-archive';
  const told = `MONGODB_URL names the database ${JSON.stringify(name)}`;
  if (ITS_OWN.has(name)) {
    throw new SettingsError([
      `${told}, which MongoDB keeps for itself (where its users are kept is told by authSource)`,
    ]);
  }
  if (/[/\\. "$\0]/.test(name) || Buffer.byteLength(name) > LONGEST_NAME_BYTES) {
    throw new SettingsError([
      `${told}: MongoDB takes at most 63 bytes, without / \\ . " $ and spaces`,
    ]);
  }
  return name;
}

/**
 * A Redis connection that fails fast: commands are refused at once while it is away. The caller listens to 'error', and
 * subscribes again at each 'ready'.
 */
export function createRedis(url: string, limits: { timeoutMs: number }): Redis {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    // When subscribing again fails, the driver has nobody to tell, and the rejection would end the process.
    autoResubscribe: false,
    maxRetriesPerRequest: 1,
    commandTimeout: limits.timeoutMs,
    connectTimeout: limits.timeoutMs,
    // A frozen server never closes its side of a connection, so closing ours must not wait for that.
    disconnectTimeout: limits.timeoutMs,
    retryStrategy: (attempt) => Math.min(100 * 2 ** Math.min(attempt, 5), 2_000),
  });
  return inItsDatabase(redis);
}

/** A Redis connection for a BullMQ worker, which waits for the server as long as it takes. */
export function createWorkerRedis(url: string): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    retryStrategy: (attempt) => Math.min(attempt * 200, 2_000),
  });
  return inItsDatabase(redis);
}

/**
 * Where the server has no database of the number that the URL names, the driver only tells of it, and goes on in
 * database 0. Here such a server counts as away, for that reason.
 */
function inItsDatabase(redis: Redis): Redis {
  return redis.on('error', ({ message }: Error) => {
    const isToGoOn = redis.status === 'connect';
    if (isToGoOn && message.startsWith('ERR DB index is out of range')) redis.disconnect(true);
  });
}
