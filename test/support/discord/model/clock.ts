import type { Clock } from './model.js';

const PLATFORM_EPOCH_MS = 1_420_070_400_000;

/** A clock that starts at a time, and never goes back. */
export function createClock(startAt: number): Clock {
  let now = startAt;
  return {
    now: () => now,
    advance: (ms) => void (now += Math.max(0, ms)),
    advanceTo: (ms) => void (now = Math.max(now, ms)),
  };
}

/** Makes ids for a time. By default, it takes the clock's time, and moves the clock on. No id is made twice. */
export function createIds(clock: Clock): (at?: number) => string {
  let sequence = 0;
  return (at) => {
    if (at === undefined) clock.advance(1);
    sequence = (sequence + 1) % 2 ** 22;
    return String((BigInt((at ?? clock.now()) - PLATFORM_EPOCH_MS) << 22n) | BigInt(sequence));
  };
}
