import { availableParallelism } from 'node:os';
import type { Settings } from '../../../shared/platform/env.js';

/** How many processes an API runs: API_PROCESSES, by default one for each core. */
export function processCount({ API_PROCESSES }: Pick<Settings, 'API_PROCESSES'>): number {
  return API_PROCESSES ?? availableParallelism();
}
