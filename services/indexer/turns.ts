/**
 * Runs `work`, and resolves with its result. A work waits until every work that was given before it with the same key
 * has ended. Works of different keys run at the same time.
 */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Makes turns in which no work waits yet. When a work fails, the next one runs all the same. A key is forgotten when
 * none of its works is left.
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
