import type { JobName } from './jobs.js';

/** A job that removes something, and waits until it is gone everywhere. */
export type RemovalName = Extract<JobName, `delete-${string}` | 'erase-user'>;

/** The cause of the marks that a removal waits for. `id` is the one in the payload of its job. */
export function removalCause(name: RemovalName, id: string): string {
  return `${name}/${id}`;
}
