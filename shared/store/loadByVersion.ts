/** Something that was loaded in a version. */
interface Loaded<T> {
  version: number;
  value: Promise<T>;
}

/**
 * Makes a function that loads something of a store once for each version, and remembers the last. Callers who ask for
 * the same version meanwhile share the load, because many builds ask at the same time, and it may be large. A load that
 * fails is tried again by the next caller.
 */
export function loadByVersion<Store extends { state: object }, T>(
  load: (store: Store, version: number) => Promise<T>,
): (store: Store, version: number) => Promise<T> {
  const loaded = new WeakMap<object, Loaded<T>>();
  return (store, version) => {
    const before = loaded.get(store.state);
    if (before?.version === version) return before.value;
    const now = { version, value: load(store, version) };
    loaded.set(store.state, now);
    now.value.catch(() => {
      if (loaded.get(store.state) === now) loaded.delete(store.state);
    });
    return now.value;
  };
}
