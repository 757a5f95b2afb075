import { randomUUID } from 'node:crypto';
import { createMongo, type Mongo } from '../../shared/platform/clients.js';
import { readSettings } from '../../shared/platform/env.js';
import { ensureIndexes } from '../../shared/store/indexes.js';
import { PATIENCE_MS } from './patientElasticsearch.js';

/** What becomes of the database of a suite when the suite ends. */
export interface DatabaseOptions {
  /**
   * Whether this process may give the database to a later suite. It must not where a process was killed that wrote to
   * it, because MongoDB may carry out what such a process sent last at any later time.
   */
  isShared?: boolean;
}

/** The database of a suite, with its indexes. */
export interface SuiteDatabase {
  mongo: Mongo;
  /** MONGODB_URL with the name of the database, for processes that a test starts. */
  mongodbUrl: string;
  /** Whether an earlier suite had it, and may have left documents in it. */
  isUsed: boolean;
  /** Closes the client. */
  close(): Promise<void>;
}

/** A database of this process whose suite has ended, and how many indexes its collections had when it was made. */
interface FreeDatabase {
  namespace: string;
  indexes: number;
}

const free: FreeDatabase[] = [];

/**
 * Opens a database under a random name, or a shared one of a suite that has ended. Making the files of a database, and
 * removing them, costs MongoDB more than what most suites do with it. The client of the earlier suite is closed, so
 * nothing in this process writes for that suite any more.
 */
export async function openDatabase({ isShared = false }: DatabaseOptions): Promise<SuiteDatabase> {
  // `npm test` sets it, because nothing of its servers is left after the run.
  const willShare = isShared && process.env['SHARE_TEST_DATABASES'] === 'true';
  const earlier = willShare ? free.pop() : undefined;
  const namespace = earlier?.namespace ?? `test_${randomUUID().slice(0, 8)}`;
  const mongodbUrl = withDatabase(readSettings().MONGODB_URL, namespace);
  const mongo = createMongo({ MONGODB_URL: mongodbUrl }, { timeoutMs: PATIENCE_MS, poolSize: 20 });
  if (earlier) await dropChanged(mongo, earlier);
  await ensureIndexes(mongo.collections);
  const indexes = earlier?.indexes ?? (willShare ? await countIndexes(mongo) : 0);
  return {
    mongo,
    mongodbUrl,
    isUsed: earlier !== undefined,
    async close() {
      if (!willShare) await mongo.db.dropDatabase();
      await mongo.client.close();
      if (willShare) free.push({ namespace, indexes });
    },
  };
}

/** A MongoDB URL with another database. */
export function withDatabase(url: string, database: string): string {
  return url.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)\/?[^?]*/, `$1/${database}`);
}

/** Drops a database in which a suite has left another collection, option or index. */
async function dropChanged(mongo: Mongo, { indexes }: FreeDatabase): Promise<void> {
  const found = await mongo.db.listCollections({}, { nameOnly: false }).toArray();
  const isAsMade =
    found.every(({ name, options = {} }) => name in mongo.collections && isEmpty(options)) &&
    (await countIndexes(mongo)) === indexes;
  if (!isAsMade) await mongo.db.dropDatabase();
}

/** How many indexes there are besides the one that each collection has of itself. */
async function countIndexes({ db }: Mongo): Promise<number> {
  const { indexes, collections } = (await db.stats()) as { indexes: number; collections: number };
  return indexes - collections;
}

function isEmpty(options: object): boolean {
  return Object.keys(options).length === 0;
}
