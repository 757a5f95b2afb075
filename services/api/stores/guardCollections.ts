import type { AbstractCursor, Collection } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type { StoreGuard } from './storeGuard.js';

/** What asks the server and promises its answer. */
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
/** What gives a cursor, and what asks the server of a cursor. */
const CURSORS = new Set<PropertyKey>(['aggregate', 'find']);
const CURSOR_CALLS = new Set<PropertyKey>(['hasNext', 'next', 'toArray']);

type Method = (...given: unknown[]) => unknown;

/** The same collections, with every call made through a guard: none can forget it. */
export function guardCollections(collections: Collections, guard: StoreGuard): Collections {
  const guarded = Object.entries(collections).map(([name, collection]) => [
    name,
    guardCollection(collection as Collection, guard),
  ]);
  return Object.fromEntries(guarded) as Collections;
}

function guardCollection(collection: Collection, guard: StoreGuard): Collection {
  return new Proxy(collection, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as Method;
      if (CALLS.has(name)) return guardedCall(method, guard);
      if (!CURSORS.has(name)) return method;
      return (...given: unknown[]) => guardCursor(method(...given) as AbstractCursor, guard);
    },
  });
}

/** Sorting and the like give the cursor itself, so that its own methods are replaced. */
function guardCursor(cursor: AbstractCursor, guard: StoreGuard): AbstractCursor {
  for (const name of CURSOR_CALLS) {
    const method = Reflect.get(cursor, name, cursor) as Method;
    Reflect.set(cursor, name, guardedCall(method.bind(cursor), guard));
  }
  return cursor;
}

function guardedCall(method: Method, guard: StoreGuard): Method {
  return (...given) => guard(() => method(...given) as Promise<unknown>);
}
