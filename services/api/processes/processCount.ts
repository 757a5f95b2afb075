import { availableParallelism } from 'node:os';
import type { Settings } from '../../../shared/platform/env.js';

/** How many processes of the API run on this machine: one for each core, unless API_PROCESSES says otherwise. */
export function processCount({ API_PROCESSES }: Pick<Settings, 'API_PROCESSES'>): number {
  return API_PROCESSES ?? availableParallelism();
}
