import type { IndexerDeps, StoreAccess } from '../../../services/indexer/deps.js';
import type { Collections } from '../../../shared/store/collections.js';

/** The write side of a process that can be killed. After that, it changes nothing in MongoDB or the mirror. */
export interface KillableProcess {
  deps: IndexerDeps;
  /** Kills it, now or after so many more steps: requests to MongoDB or the mirror, of which a transaction is two. */
  kill(steps?: number): void;
  readonly isDead: boolean;
}

/** Makes another process on the same stores. */
export function killableProcess(deps: IndexerDeps): KillableProcess {
  let left = Infinity;
  const requireAlive = (): void => {
    left -= 1;
    if (left < 0) throw new Error('The process was killed');
  };
  const access = (to: StoreAccess): StoreAccess => ({
    ...to,
    collections: Object.fromEntries(
      Object.entries(to.collections).map(([name, collection]) => [
        name,
        guarded(collection as object, requireAlive),
      ]),
    ) as unknown as Collections,
    async commit(change) {
      requireAlive();
      const outcome = await to.commit(change);
      // What was written stays. The writer does not learn of it.
      requireAlive();
      return outcome;
    },
  });
  const { mirror } = deps;
  return {
    deps: {
      ...deps,
      ...access(deps),
      // Events are recorded through this access.
      first: access(deps.first),
      mirror: mirror && {
        ...mirror,
        files: guarded(mirror.files, requireAlive),
        pause: { until: 0, failures: 0 },
        away: { until: 0, asked: null },
      },
    },
    kill: (steps = 0) => void (left = steps),
    get isDead() {
      return left <= 0;
    },
  };
}

/** They return a cursor at once, and change nothing. */
const READS: ReadonlySet<string | symbol> = new Set(['find', 'aggregate', 'list']);

/**
 * An object whose methods reject once the process is dead, as requests of a lost connection do. It may still read
 * several documents at once.
 */
function guarded<T extends object>(target: T, requireAlive: () => void): T {
  return new Proxy(target, {
    get(object, name) {
      const value = Reflect.get(object, name, object) as unknown;
      if (typeof value !== 'function') return value;
      const method = value.bind(object) as (...given: unknown[]) => unknown;
      if (READS.has(name)) return method;
      return (...args: unknown[]) =>
        Promise.resolve()
          .then(requireAlive)
          .then(() => method(...args));
    },
  });
}
