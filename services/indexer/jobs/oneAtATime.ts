/** Runs works one after another, in the order asked; one that fails does not keep the next from running. */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** Runs works of one key one after another, as above, and those of different keys side by side. */
export type TurnsByKey = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Turns of which none is taken. A key is kept as long as works of it wait or run. */
export function createTurnsByKey(): TurnsByKey {
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
