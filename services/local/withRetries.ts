import { setTimeout as delay } from 'node:timers/promises';
import type { Children } from './children.js';
import type { Report } from './report.js';

const RETRIES = 2;
const PAUSE_MS = 1_000;

/** What tells that everything is to stop, and where waits and failures are reported. */
export interface Context {
  children: Pick<Children, 'stopped'>;
  report: Pick<Report, 'line'>;
}

/**
 * Does work that needs the network, three times at most. A server may be busy for a moment, and a connection may be cut.
 * So work that has failed is done again after a second, unless everything is to stop. The report names the work as
 * `what`, and tells why it has failed. Throws the last error.
 */
export async function withRetries<T>(
  what: string,
  { children: { stopped: signal }, report }: Context,
  work: () => Promise<T>,
): Promise<T> {
  for (let retries = 0; retries < RETRIES; retries += 1) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) throw error;
      const [reason] = (error as Error).message.split('\n');
      report.line(`${what} failed, and is tried again: ${reason}`);
      await delay(PAUSE_MS, undefined, { signal });
    }
  }
  return work();
}
