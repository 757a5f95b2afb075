import { availableParallelism } from 'node:os';
import type { Settings } from '../../../shared/platform/env.js';

/** How many processes of the API this machine runs: one a core unless told otherwise. */
export function processCount({ API_PROCESSES }: Pick<Settings, 'API_PROCESSES'>): number {
  return API_PROCESSES ?? availableParallelism();
}
