import { jobSchemas } from './jobs.js';

const FIRST_WORDS = new Set(Object.keys(jobSchemas).map((name) => name.split('-')[0]));

/**
 * Whether an id may be that of a job. Each job's id begins with the first word of its job's name. The queue's own keys
 * stand beside its jobs in Redis, and begin with other words.
 */
export function isJobId(id: string): boolean {
  return /^[\w-]+$/.test(id) && FIRST_WORDS.has(id.split('-')[0]);
}
