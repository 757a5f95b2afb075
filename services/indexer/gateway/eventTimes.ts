import type { LiveClock } from '../stores/liveClock.js';
import { untilDone, type Tasks } from './tasks.js';

/**
 * Gives events their times, in the order in which they came, and passes them on. Those that come while times are asked
 * for go together.
 */
export function createEventTimes<T>(
  clock: LiveClock,
  { signal, tasks }: { signal: AbortSignal; tasks: Tasks },
  pass: (event: T, asOf: number) => void,
): (event: T) => void {
  let arrived: T[] = [];
  let isAsking = false;
  const ask = async (): Promise<void> => {
    while (arrived.length > 0) {
      const group = arrived;
      arrived = [];
      const times = await untilDone(signal, () => clock.take(group.length));
      group.forEach((event, n) => pass(event, times[n]!));
    }
    isAsking = false;
  };
  return (event) => {
    arrived.push(event);
    if (isAsking) return;
    isAsking = true;
    tasks.start(ask);
  };
}
