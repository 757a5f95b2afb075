import { jobSchemas } from './jobs.js';

const FIRST_WORDS = new Set(Object.keys(jobSchemas).map((name) => name.split('-')[0]));

/**
 * Whether an id may be a job's: each begins with the first word of its job's name. The queue's own keys, which stand
 * beside its jobs in Redis and are no hashes, do not.
 */
export function isJobId(id: string): boolean {
  return /^[\w-]+$/.test(id) && FIRST_WORDS.has(id.split('-')[0]);
}
