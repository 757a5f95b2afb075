import { setTimeout as delay } from 'node:timers/promises';
import type { Report } from './report.js';

const RETRIES = 2;
const PAUSE_MS = 1_000;

/**
 * Does work that needs the network. Where it fails, it is done again after a second, three times in all: a server may
 * be busy for a moment, or a connection may be cut. `what` names the work in the report. Throws the last error.
 */
export async function withRetries<T>(
  what: string,
  report: Report,
  work: () => Promise<T>,
): Promise<T> {
  for (let retries = 0; retries < RETRIES; retries += 1) {
    try {
      return await work();
    } catch (error) {
      const [reason] = (error as Error).message.split('\n');
      report.line(`${what} failed, and is tried again: ${reason}`);
      await delay(PAUSE_MS);
    }
  }
  return work();
}
