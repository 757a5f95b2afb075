import type { AbstractCursor, Collection } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type { StoreGuard } from './storeGuard.js';

/** Methods of a collection that call MongoDB, and return a promise. */
const CALLS = new Set<PropertyKey>([
  'bulkWrite',
  'countDocuments',
  'deleteMany',
  'deleteOne',
  'distinct',
  'estimatedDocumentCount',
  'findOne',
  'findOneAndUpdate',
  'insertMany',
  'insertOne',
  'replaceOne',
  'updateMany',
  'updateOne',
]);
/** Methods that accept `maxTimeMS`, and the position of the options among their arguments. */
const OPTIONS_AT = new Map<PropertyKey, number>([
  ['aggregate', 1],
  ['countDocuments', 1],
  ['distinct', 2],
  ['estimatedDocumentCount', 0],
  ['find', 1],
  ['findOne', 1],
  ['findOneAndUpdate', 2],
]);
/** Methods of a collection that return a cursor, and the methods of a cursor that call MongoDB. */
const CURSORS = new Set<PropertyKey>(['aggregate', 'find']);
const CURSOR_CALLS = new Set<PropertyKey>(['hasNext', 'next', 'toArray']);

type Method = (...given: unknown[]) => unknown;

/**
 * The same collections, with a guard around every method that is listed above. MongoDB works on a read for at most
 * `serverMs` (ms).
 */
export function guardCollections(
  collections: Collections,
  guard: StoreGuard,
  serverMs: number,
): Collections {
  const guarded = Object.entries(collections).map(([name, collection]) => [
    name,
    guardCollection(collection as Collection, guard, serverMs),
  ]);
  return Object.fromEntries(guarded) as Collections;
}

function guardCollection(collection: Collection, guard: StoreGuard, serverMs: number): Collection {
  return new Proxy(collection, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      const method = limited(value.bind(target) as Method, OPTIONS_AT.get(name), serverMs);
      if (CALLS.has(name)) return guardedCall(method, guard);
      if (!CURSORS.has(name)) return method;
      return (...given: unknown[]) => guardCursor(method(...given) as AbstractCursor, guard);
    },
  });
}

/**
 * Puts a guard around the methods of a cursor. They are replaced on the cursor itself, because methods such as `sort`
 * return it. `toArray` of the driver calls `next` of the cursor. That `next` must not pass the guard once more, so
 * `toArray` first removes the guards from the cursor.
 */
function guardCursor(cursor: AbstractCursor, guard: StoreGuard): AbstractCursor {
  for (const name of CURSOR_CALLS) {
    const method = Reflect.get(cursor, name, cursor) as Method;
    const call: Method = (...given) => {
      if (name === 'toArray') for (const own of CURSOR_CALLS) Reflect.deleteProperty(cursor, own);
      return method.call(cursor, ...given);
    };
    Reflect.set(cursor, name, guardedCall(call, guard));
  }
  return cursor;
}

function limited(method: Method, optionsAt: number | undefined, serverMs: number): Method {
  if (optionsAt === undefined) return method;
  return (...given) => {
    given[optionsAt] = { maxTimeMS: serverMs, ...(given[optionsAt] as object | undefined) };
    return method(...given);
  };
}

function guardedCall(method: Method, guard: StoreGuard): Method {
  return (...given) => guard(() => method(...given) as Promise<unknown>);
}
