/** Counts what was fetched, and tells how fast it goes. */
export interface Meter {
  count(messages: number): void;
  /** Messages a second: an average over the looks so far, in which later ones count more. */
  perSecond(): number;
}

/** The weight of the time since the last look in the rate. */
const LATEST = 0.3;

/** Makes a meter with a clock in milliseconds. */
export function createMeter(now: () => number = () => performance.now()): Meter {
  let at = now();
  let counted = 0;
  let rate: number | undefined;
  return {
    count: (messages) => {
      counted += messages;
    },
    perSecond() {
      const latest = (counted * 1_000) / Math.max(now() - at, 1);
      rate = rate === undefined ? latest : rate + (latest - rate) * LATEST;
      [at, counted] = [now(), 0];
      return Math.round(rate * 10) / 10;
    },
  };
}
