/** Counts what was fetched, and tells how fast it goes. */
export interface Meter {
  count(messages: number): void;
  /** Messages in a second, since it was asked last and before that, the later counting more. */
  perSecond(): number;
}

/** The part of a rate that the time since the last look makes up. */
const LATEST = 0.3;

/** A meter by a clock of milliseconds. */
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
