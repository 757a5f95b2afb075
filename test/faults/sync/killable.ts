import type { IndexerDeps } from '../../../services/indexer/deps.js';
import type { Collections } from '../../../shared/store/collections.js';

/** The write side of a process that can be killed. After that, none of its writes reaches MongoDB. */
export interface KillableProcess {
  deps: IndexerDeps;
  kill(): void;
}

/** Makes another process on the same stores. */
export function killableProcess(deps: IndexerDeps): KillableProcess {
  let isKilled = false;
  const requireAlive = (): void => {
    if (isKilled) throw new Error('The process was killed');
  };
  const collections = Object.fromEntries(
    Object.entries(deps.collections).map(([name, collection]) => [
      name,
      guarded(collection as object, requireAlive),
    ]),
  ) as unknown as Collections;
  return {
    deps: {
      ...deps,
      collections,
      async commit(change) {
        requireAlive();
        const outcome = await deps.commit(change);
        // What was written stays. The writer does not learn of it.
        requireAlive();
        return outcome;
      },
    },
    kill: () => void (isKilled = true),
  };
}

/** An object whose methods throw once the process is dead. */
function guarded<T extends object>(target: T, requireAlive: () => void): T {
  return new Proxy(target, {
    get(object, name) {
      const value = Reflect.get(object, name, object) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        requireAlive();
        return (value as (...given: unknown[]) => unknown).apply(object, args);
      };
    },
  });
}
