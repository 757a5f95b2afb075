import type { JobName } from '../../shared/jobs/jobs.js';
import type { Handlers } from './handlers.js';

/** A job that waits for the work behind it must not have that work wait. */
const WAITS: JobName = 'verify';

/** The same handlers, and whether any of them is at work that others need not wait for. */
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
