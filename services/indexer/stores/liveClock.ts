import { setTimeout as pause } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { liveTime } from '../../../shared/store/sourceTime.js';
import type { StateRecord } from '../../../shared/store/state.js';
import { nowMicroseconds, raise } from './nextVersion.js';

/**
 * Gives the times at which live data counts as told, as `liveTime` makes them. Each is later than every time given
 * before, and no earlier than this computer's clock. A request takes its time when it is sent, since the answer may
 * describe that moment. An event takes its time when it is received.
 */
export interface LiveClock {
  /** Gives a time. */
  take(): Promise<number>;
  /** From now on, all times are later than those that other processes were given. */
  restart(): void;
}

/** How many microseconds a process reserves at once. */
const RESERVED = 500_000;

/**
 * The clock of one process. It reserves half a second of times in MongoDB, and gives these times without asking again.
 * Worker A reserves the half second that begins now. Then worker B becomes the process that speaks to the platform, and
 * reserves the half second after A's. B waits until its half second begins, so that it gives no time of the future. If it
 * begins more than half a second from now, the clock of some computer was wrong; then B does not wait.
 *
 * Only the process that speaks to the platform takes times. A process calls `restart` when it becomes that process. The
 * times that it has reserved before may be earlier than times that others have given since.
 */
export function createLiveClock(state: Collection<StateRecord>): LiveClock {
  let last = 0;
  let end = 0;
  let reserving: Promise<void> | null = null;
  const reserve = (): Promise<void> => {
    const own = raise(state, 'live', nowMicroseconds(), RESERVED)
      .then(async (value) => {
        const early = value - RESERVED - nowMicroseconds();
        // A timer may end a millisecond early.
        if (early > 0 && early <= RESERVED) await pause(early / 1_000 + 1);
        // The clock was restarted meanwhile: another process may have given later times than these.
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
    async take() {
      const now = nowMicroseconds();
      for (;;) {
        const first = Math.max(last + 1, now);
        if (first <= end) {
          last = first;
          return liveTime(first);
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
