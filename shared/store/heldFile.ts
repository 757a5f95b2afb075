import type { ImportFileRecord } from './views.js';

/** The `queuedAt` of a file that must not be imported yet. It keeps the file's job from being filed again. */
export const NOT_YET = new Date('9999-12-31T00:00:00.000Z');

/** Whether a queued file must not be imported yet, because it belongs to a restore that goes on. */
export function isNotYet({ queuedAt }: Pick<ImportFileRecord, 'queuedAt'>): boolean {
  return queuedAt.getTime() >= NOT_YET.getTime();
}
