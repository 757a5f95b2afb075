import type { ImportFileRecord } from './views.js';

/** When a file counts as queued that must not be imported yet: no sweep finds it. */
export const NOT_YET = new Date('9999-12-31T00:00:00.000Z');

/** Whether a queued file must not be imported yet: it is being restored. */
export function isHeld({ queuedAt }: Pick<ImportFileRecord, 'queuedAt'>): boolean {
  return queuedAt.getTime() >= NOT_YET.getTime();
}
