import { setTimeout } from 'node:timers/promises';
import {
  MongoBulkWriteError,
  MongoServerError,
  type AnyBulkWriteOperation,
  type Collection,
  type Document,
  type Filter,
  type WithId,
  type WriteError,
} from 'mongodb';
import { groupBy } from '../platform/groupBy.js';
import { withTimeout } from '../platform/withTimeout.js';
import { isDuplicateKey } from './duplicateKey.js';

/**
 * Gathers concurrent requests to one collection into few round trips, because a majority write costs as much for one
 * document as for a hundred. A request goes out at once where no other request of its kind is under way for that
 * collection. Otherwise it waits, and goes out together with all others that wait. With many callers they wait a little
 * longer, so that more gather.
 */

/** From so many callers on, such as in an import, requests are spaced out, so that they are fewer and larger. */
const MANY_CALLERS = 24;
/**
 * With so many callers, requests of one kind to one collection begin at least this far apart (ms). After a request that
 * took longer than a third of this, they begin REST_TIMES times as far apart as it took, at most LONGEST_REST_MS. Then
 * the store or this process is busy, and fewer and larger requests relieve both.
 */
const SHORTEST_REST_MS = 60;
const LONGEST_REST_MS = 240;
const REST_TIMES = 3;
const MAX_OPERATIONS = 500;
/** How many documents one reply holds. The process takes a reply apart at once, and does nothing else meanwhile. */
const MOST_IN_REPLY = 1_000;
/**
 * A request fails after this time (ms), which is beyond the driver's own limits. A request that never ends would hold
 * up all requests behind it.
 */
const LONGEST_MS = 65_000;

interface Waiting<Request, Answer> {
  request: Request;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/** How many callers, of all gatherers, have a request that waits or is under way. */
let callers = 0;

/** Collections whose requests are never spaced out. */
const unspaced = new WeakSet<object>();

/** Marks collections whose callers keep a reader waiting. Their requests are never spaced out. */
export function unspacedCollections<All extends object>(collections: All): All {
  for (const collection of Object.values(collections) as object[]) unspaced.add(collection);
  return collections;
}

/**
 * Makes a function that runs requests to a collection in groups. `run` resolves with the answers to a group of requests
 * in their order. Where it rejects, all of them fail.
 */
function createGatherer<Request, Answer>(
  collection: object,
  run: (requests: Request[]) => Promise<Answer[]>,
  sizeOf: (request: Request) => number,
): (request: Request) => Promise<Answer> {
  let waiting: Waiting<Request, Answer>[] = [];
  let isSending = false;
  const isSpaced = !unspaced.has(collection);

  const takeGroup = (): Waiting<Request, Answer>[] => {
    let size = 0;
    const end = waiting.findIndex(({ request }) => (size += sizeOf(request)) > MAX_OPERATIONS);
    const group = end < 0 ? waiting : waiting.slice(0, Math.max(end, 1));
    waiting = waiting.slice(group.length);
    return group;
  };
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const group = takeGroup();
      const began = performance.now();
      try {
        const answers = await withTimeout(LONGEST_MS, () =>
          run(group.map(({ request }) => request)),
        );
        group.forEach(({ resolve }, index) => resolve(answers[index]!));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
      if (callers >= MANY_CALLERS && isSpaced) await rest(performance.now() - began);
    }
    isSending = false;
  };
  const send = (request: Request): Promise<Answer> =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      if (isSending) return;
      isSending = true;
      // All requests that are made in this turn of the event loop go out together.
      setImmediate(() => void drain());
    });
  return async (request) => {
    callers += 1;
    try {
      return await send(request);
    } finally {
      callers -= 1;
    }
  };
}

/** Waits until the next request may begin, after a request that took so long (ms). */
async function rest(tookMs: number): Promise<void> {
  const apart = Math.min(Math.max(tookMs * REST_TIMES, SHORTEST_REST_MS), LONGEST_REST_MS);
  if (apart > tookMs) await setTimeout(apart - tookMs, undefined, { ref: false });
}

/**
 * Writes through the collection's gatherer, in no particular order. Throws where one of these operations is refused.
 */
export async function writeAllGathered<T extends Document>(
  collection: Collection<T>,
  operations: AnyBulkWriteOperation<T>[],
): Promise<void> {
  const [refused] = await writeGathered(collection, operations);
  if (refused) throw writeRefused(refused);
}

/**
 * Inserts a document through the collection's gatherer. To the server an insert costs a third of an upsert, so this is
 * for a document that is most likely new. Resolves with whether it was new. An existing document is not changed.
 */
export async function insertGathered<T extends { _id: string }>(
  collection: Collection<T>,
  document: T,
): Promise<boolean> {
  const insert = { insertOne: { document } } as unknown as AnyBulkWriteOperation<T>;
  const [refused] = await writeGathered(collection, [insert]);
  if (refused && !isDuplicateKey(refused)) throw writeRefused(refused);
  return refused === undefined;
}

/** Resolves with an error for each operation that the server refused. Throws where the whole request failed. */
async function writeGathered<T extends Document>(
  collection: Collection<T>,
  operations: AnyBulkWriteOperation<T>[],
): Promise<WriteError[]> {
  if (operations.length === 0) return [];
  return askGathered(collection, 'writes', bulkWrite, operations, ({ length }) => length);
}

/** The error of one write that the server refused. */
function writeRefused({ errmsg, code }: WriteError): MongoServerError {
  const message = `A write was refused: ${errmsg ?? String(code)}`;
  return new MongoServerError({ message, code });
}

async function bulkWrite<T extends Document>(
  collection: Collection<T>,
  groups: AnyBulkWriteOperation<T>[][],
): Promise<WriteError[][]> {
  const errors = await collection.bulkWrite(groups.flat(), { ordered: false }).then(
    () => [],
    (error: unknown) => {
      const refused = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
      // No operation was refused, so the whole request failed: for example, it may not have reached a majority.
      if (refused.length === 0) throw error;
      return refused;
    },
  );
  let start = 0;
  return groups.map((group) => {
    const [from, to] = [start, (start += group.length)];
    return errors.filter(({ index }) => index >= from && index < to);
  });
}

const askers = new WeakMap<object, Map<string, (request: never) => Promise<unknown>>>();

/**
 * The answer to a request, which goes out together with the other requests of the same name to the same collection.
 * `run` resolves with the answers to many requests in their order. `sizeOf` is how many values a request has. At most
 * 500 values go out together.
 */
export async function askGathered<Target extends object, Request, Answer>(
  collection: Target,
  name: string,
  run: (collection: Target, requests: Request[]) => Promise<Answer[]>,
  request: Request,
  sizeOf: (request: Request) => number = () => 1,
): Promise<Answer> {
  const own = askers.get(collection) ?? new Map<string, (request: never) => Promise<unknown>>();
  askers.set(collection, own);
  let asker = own.get(name) as ((request: Request) => Promise<Answer>) | undefined;
  if (!asker) {
    asker = createGatherer(collection, (requests: Request[]) => run(collection, requests), sizeOf);
    own.set(name, asker);
  }
  return asker(request);
}

/** Reads the document with an id through the collection's gatherer; null where there is none. */
export async function findGathered<T extends { _id: string }>(
  collection: Collection<T>,
  id: string,
): Promise<WithId<T> | null> {
  const [found] = await findAllGathered(collection, '_id', id);
  return found ?? null;
}

/**
 * Reads the documents whose `field` is a value, through the collection's gatherer. With `fields`, it reads these fields
 * alone, beside `field`. Calls go out together where they name the same fields.
 */
export async function findAllGathered<T extends { _id: string }>(
  collection: Collection<T>,
  field: string & keyof T,
  value: string,
  fields?: readonly string[],
): Promise<WithId<T>[]> {
  const run = (_: unknown, values: string[]) => findByField(collection, field, values, fields);
  return askGathered(collection, JSON.stringify([field, fields]), run, value);
}

async function findByField<T extends { _id: string }>(
  collection: Collection<T>,
  field: string & keyof T,
  values: string[],
  fields: readonly string[] | undefined,
): Promise<WithId<T>[][]> {
  const projection = fields && Object.fromEntries([field, ...fields].map((name) => [name, 1]));
  const wanted = { [field]: { $in: [...new Set(values)] } } as Filter<T>;
  const options = { batchSize: MOST_IN_REPLY, ...(projection && { projection }) };
  const found = await collection.find(wanted, options).toArray();
  const byValue = groupBy(found, (document): unknown => (document as T)[field]);
  return values.map((value) => byValue.get(value) ?? []);
}
