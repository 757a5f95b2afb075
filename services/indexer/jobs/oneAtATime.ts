/** Runs works of one key one after another, in the order asked, and those of different keys side by side. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Turns of which none is taken. A work that fails does not keep the next from running. A key is kept as long as works of
 * it wait or run.
 */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work);
    const ended = turn
      .catch(() => undefined)
      .then(() => {
        if (last.get(key) === ended) last.delete(key);
      });
    last.set(key, ended);
    return turn;
  };
}
