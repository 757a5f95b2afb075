import type { JobName } from '../../shared/jobs/jobs.js';
import type { Handlers } from './handlers.js';

/**
 * This one waits until the background loops have drained. It must not count as busy, since busy jobs slow those down.
 */
const WAITS: JobName = 'verify';

/**
 * The same handlers, and whether any of them is at work that slows the background loops down. `onEnd`: one has ended.
 */
export function countActive(
  handlers: Handlers,
  onEnd: () => void,
): { handlers: Handlers; isBusy: () => boolean } {
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
        onEnd();
      }
    },
  ]);
  return {
    handlers: Object.fromEntries(counted) as Record<JobName, Handlers[JobName]>,
    isBusy: () => active > 0,
  };
}
