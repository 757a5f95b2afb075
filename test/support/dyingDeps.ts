import { MongoNetworkError } from 'mongodb';
import type { IndexerDeps } from '../../services/indexer/deps.js';

/** A process that dies at one of its steps. After that, nothing that it does is carried out. */
export interface DyingProcess {
  deps: IndexerDeps;
  /**
   * Makes it die at the n-th step from now: a write, a transaction, or a read of one document. The step is carried out
   * or not. The process gets no answer.
   */
  dieAt(step: number, isCarriedOut: boolean): void;
  readonly isDead: boolean;
  /** Ends calls that wait for an answer which never comes. */
  bury(): void;
}

/** Makes the write side of a process that can die. */
export function dyingProcess(alive: IndexerDeps): DyingProcess {
  let left = Infinity;
  let isDead = false;
  let isLastCarriedOut = false;
  let bury: () => void = () => undefined;
  const never = new Promise<never>((_resolve, reject) => {
    // Fails as a lost connection does. A process that was told to stop does not try again.
    bury = () => reject(new MongoNetworkError('The process is dead'));
  });
  never.catch(() => undefined);
  const step = async <T>(run: () => Promise<T>): Promise<T> => {
    if (isDead) return never;
    left -= 1;
    if (left > 0) return run();
    isDead = true;
    if (isLastCarriedOut) await run();
    return never;
  };
  const watched = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name);
        if (typeof value !== 'function') return value;
        const method = value.bind(object) as (...args: unknown[]) => unknown;
        return (...args: unknown[]) => {
          if (isDead) return CURSORS.has(String(name)) ? deadCursor(never) : never;
          return STEPS.has(String(name))
            ? step(() => Promise.resolve(method(...args)))
            : method(...args);
        };
      },
    });
  const collections = Object.fromEntries(
    Object.entries(alive.collections).map(([name, collection]) => [name, watched(collection)]),
  ) as unknown as IndexerDeps['collections'];
  const commit: IndexerDeps['commit'] = (change) => step(() => alive.commit(change));
  return {
    deps: { ...alive, collections, commit },
    dieAt(n, isCarriedOut) {
      left = n;
      isLastCarriedOut = isCarriedOut;
    },
    get isDead() {
      return isDead;
    },
    bury() {
      isDead = true;
      bury();
    },
  };
}

const CURSORS = new Set(['find', 'aggregate']);
const STEPS = new Set([
  'findOne',
  'findOneAndUpdate',
  'updateOne',
  'updateMany',
  'replaceOne',
  'bulkWrite',
  'deleteOne',
  'deleteMany',
  'insertOne',
]);

/** A cursor that never returns anything. */
function deadCursor(never: Promise<never>): object {
  const cursor: object = new Proxy(
    {},
    {
      get(_target, name) {
        if (name === 'toArray' || name === 'next') return () => never;
        if (name === Symbol.asyncIterator) return () => ({ next: () => never });
        return () => cursor;
      },
    },
  );
  return cursor;
}
