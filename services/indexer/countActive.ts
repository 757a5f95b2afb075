import type { JobName } from '../../shared/jobs/jobs.js';
import type { Handlers } from './handlers.js';

/**
 * This job waits until the background loops have drained. Busy jobs slow the loops down, so it must not count as busy.
 */
const WAITS: JobName = 'verify';

/** Returns the same handlers, and whether any of them does work that slows the background loops down. */
export function countActive(handlers: Handlers): { handlers: Handlers; isBusy: () => boolean } {
  let active = 0;
  const counted = Object.entries(handlers).map(([name, handler]) => [
    name,
    async (...args: Parameters<typeof handler>) => {
      const one = name === WAITS ? 0 : 1;
      active += one;
      try {
        return await handler(...args);
      } finally {
        active -= one;
      }
    },
  ]);
  return {
    handlers: Object.fromEntries(counted) as Record<JobName, Handlers[JobName]>,
    isBusy: () => active > 0,
  };
}
