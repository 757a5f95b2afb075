import type { JobName } from '../../shared/jobs/jobs.js';
import type { Handlers } from './handlers.js';

/** The same handlers, and whether any of them is at work. */
export function countActive(handlers: Handlers): { handlers: Handlers; isBusy: () => boolean } {
  let active = 0;
  const counted = Object.entries(handlers).map(([name, handler]) => [
    name,
    async (...args: Parameters<typeof handler>) => {
      active += 1;
      try {
        return await handler(...args);
      } finally {
        active -= 1;
      }
    },
  ]);
  return {
    handlers: Object.fromEntries(counted) as Record<JobName, Handlers[JobName]>,
    isBusy: () => active > 0,
  };
}
