import type { IndexerDeps } from '../../services/indexer/deps.js';

/** The same dependencies, but reading the messages of a thread for its build does something bad. */
export function poisoned(deps: IndexerDeps, threadId: string, strike: () => void): IndexerDeps {
  const { messages } = deps.collections;
  const trapped = new Proxy(messages, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== 'function') return found;
      return (...args: unknown[]) => {
        const [filter] = args as [{ threadId?: unknown; counted?: unknown; deleted?: unknown }?];
        const isBuild = filter?.threadId === threadId && filter.counted && filter.deleted;
        if (name === 'find' && isBuild) strike();
        return Reflect.apply(found as (...all: unknown[]) => unknown, target, args);
      };
    },
  });
  return { ...deps, collections: { ...deps.collections, messages: trapped } };
}
