import { setTimeout as pause } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { liveTime } from '../../../shared/store/sourceTime.js';
import type { StateRecord } from '../../../shared/store/state.js';
import { nowMicroseconds, raise } from './nextVersion.js';

/**
 * Gives the times that live data counts as of (as `liveTime` makes them): each is later than every one given before, and
 * at least the time by this process's clock. A request takes one when it is sent, as the answer may tell of that moment;
 * an event takes one when it is received.
 */
export interface LiveClock {
  /** Gives so many times, in order. */
  take(howMany: number): Promise<number[]>;
  /** Has all times from now on be later than those that other processes were given. */
  restart(): void;
}

/** How many microseconds a process reserves at once. */
const RESERVED = 500_000;

/**
 * The clock of a process. It reserves the times of the next half second in MongoDB, and gives them out without asking
 * again. Where another process has reserved them, it waits until they are over, so that times stay those of the day;
 * it does not wait for times that somebody's wrong clock has reserved. Only the process that speaks to the platform gives times: whenever it has become that process, it has to
 * restart the clock, as another may have been given later times since.
 */
export function createLiveClock(state: Collection<StateRecord>): LiveClock {
  let last = 0;
  let end = 0;
  let reserving: Promise<void> | null = null;
  const reserve = (): Promise<void> => {
    const own = raise(state, 'live', nowMicroseconds(), RESERVED)
      .then(async (value) => {
        const early = value - RESERVED - nowMicroseconds();
        if (early > 0 && early <= RESERVED) await pause(early / 1_000);
        // Not after a restart: the range may be earlier than what others were given since.
        if (reserving !== own) return;
        end = value;
        last = end - RESERVED;
      })
      .finally(() => {
        if (reserving === own) reserving = null;
      });
    return own;
  };
  return {
    async take(howMany) {
      const now = nowMicroseconds();
      for (;;) {
        const first = Math.max(last + 1, now);
        if (first + howMany - 1 <= end) {
          last = first + howMany - 1;
          return Array.from({ length: howMany }, (_, n) => liveTime(first + n));
        }
        await (reserving ??= reserve());
      }
    },
    restart() {
      end = 0;
      reserving = null;
    },
  };
}
