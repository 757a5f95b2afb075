import { MongoClient, MongoServerSelectionError, type Db, type MongoClientOptions } from 'mongodb';
import { Redis } from '../drivers/ioredis.js';
import { collectionsOf, type Collections } from '../store/collections.js';
import type { Settings } from './env.js';
import { SettingsError } from './settingsError.js';

/** A MongoDB client and its database. It connects at its first call, so creating it needs no server. */
export interface Mongo {
  client: MongoClient;
  db: Db;
  collections: Collections;
  /** The database's name: also the prefix of Redis keys, queues and search indexes. */
  namespace: string;
}

/**
 * Milliseconds between two checks of the driver for idle connections. Its own 100 ms wake an idle process ten times a
 * second, which took 0.3 % of a core. The options of a client have no place for another number.
 */
const POOL_CHECK_MS = 5_000;

/**
 * A MongoDB client that reads from the primary, whatever the URL says, with majority writes and a time limit on every
 * call. Throws SettingsError for a URL it cannot use.
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
    // The URL may ask for reads from secondaries. One that lags behind would still give what has changed before, and the
    // API would keep that, because the change has been announced already.
    readPreference: 'primary',
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

const NOT_PRIMARY =
  'it is not the primary of its replica set now: wait until it is, or name the set in MONGODB_URL (replicaSet=…), so that the primary is found';

/**
 * Asks MongoDB whether it takes reads and writes, and connects the client first. The driver does not connect again by
 * itself once its first connection has failed. With `directConnection=true` a secondary may answer, which refuses every
 * write.
 */
export async function pingMongo(
  { client, db }: Pick<Mongo, 'client' | 'db'>,
  limitMs: number,
): Promise<void> {
  await client.connect().catch((error: unknown) => {
    throw whyNoneIsFound(error);
  });
  const options = { readPreference: 'primary', signal: AbortSignal.timeout(limitMs) } as const;
  const { isWritablePrimary } = (await db.command({ hello: 1 }, options)) as Hello;
  if (!isWritablePrimary) throw new Error(NOT_PRIMARY);
}

/** The driver only says that it found no server in time. This adds why, where the servers that answer show it. */
function whyNoneIsFound(error: unknown): unknown {
  const { setName, servers } = (error instanceof MongoServerSelectionError && error.reason) || {};
  if (!setName || !servers) return error;
  if (servers.size === 0)
    return new Error(`no server that MONGODB_URL names is in a replica set ${setName}`);
  const isMember = [...servers.values()].some(({ type }) => type.startsWith('RS'));
  return isMember ? new Error(`the replica set ${setName} has no primary now`) : error;
}

/** MongoDB's answer to `hello`. A standalone server and a router of a sharded cluster count as primary. */
interface Hello {
  isWritablePrimary?: boolean;
}

const REOPEN_AFTER_MS = 250;

/**
 * Connects a client again and again, until that succeeds or the client is closed. The driver gives a client up for good
 * where its first connection fails, because the server was away or frozen then.
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

/** Databases that MongoDB reserves for itself. It allows no transactions in them. */
const ITS_OWN: ReadonlySet<string> = new Set(['admin', 'config', 'local']);
const LONGEST_NAME_BYTES = 63;

/**
 * The database that a MongoDB URL names in its path, or else `forum-archive`. Throws SettingsError for a name that
 * MongoDB refuses or reserves.
 */
export function databaseName(url: string): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]*)/.exec(url)?.[1];
  const name = path ? decodeURIComponent(path) : 'forum-archive';
  const told = `MONGODB_URL names the database ${JSON.stringify(name)}`;
  if (ITS_OWN.has(name)) {
    throw new SettingsError([
      `${told}, which MongoDB reserves (set authSource to name the database of its users)`,
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
 * A Redis connection that fails fast: while Redis is away, it refuses commands at once. The caller listens to 'error',
 * and subscribes again at each 'ready'.
 */
export function createRedis(url: string, limits: { timeoutMs: number }): Redis {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    // Where the driver subscribes again by itself and that fails, its unhandled rejection would end the process.
    autoResubscribe: false,
    maxRetriesPerRequest: 1,
    commandTimeout: limits.timeoutMs,
    connectTimeout: limits.timeoutMs,
    // A frozen server never closes its side of a connection. So closing this side must not wait for it.
    disconnectTimeout: limits.timeoutMs,
    retryStrategy: (attempt) => Math.min(100 * 2 ** Math.min(attempt, 5), 2_000),
  });
  return inItsDatabase(redis);
}

/** Twice as long (ms) as BullMQ's longest blocking command. */
const SILENT_MS = 20_000;

/**
 * A Redis connection for a BullMQ worker. Its commands wait for the server as long as it takes. A connection may fall
 * silent without breaking, as when a firewall forgets it. So where nothing has come for `silentMs` after a command, the
 * driver opens another connection, and sends the command again.
 */
export function createWorkerRedis(url: string, { silentMs = SILENT_MS } = {}): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    socketTimeout: silentMs,
    retryStrategy: (attempt) => Math.min(attempt * 200, 2_000),
  });
  return inItsDatabase(redis);
}

/**
 * Makes a connection fail where the server has no database of the number that the URL names. The driver alone would
 * only report that, and go on in database 0. Here the server counts as away, for that reason.
 */
function inItsDatabase(redis: Redis): Redis {
  return redis.on('error', ({ message }: Error) => {
    const isToGoOn = redis.status === 'connect';
    if (isToGoOn && message.startsWith('ERR DB index is out of range')) redis.disconnect(true);
  });
}
