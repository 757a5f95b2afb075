import { randomUUID } from 'node:crypto';
import type { Filter } from 'mongodb';
import type { QuarantineKind } from '../contract/quarantine.js';
import { markId, NEVER, type Failure, type Mark } from './work.js';

/** The marks that are quarantined, and those that are tried again since. */
export const FAILED: Filter<Mark> = { 'failure.id': { $exists: true } };

/** The reason of a file that was imported, and whose thread could not be built. */
export const THREAD_QUARANTINED = 'Its thread is quarantined: it could not be built';

/** What is known of a failure, as it is added to those before. */
export function failureOf(
  before: Failure | undefined,
  told: Omit<Failure, 'id' | 'firstAt' | 'lastAt'>,
  now = new Date(),
): Failure {
  const id = quarantineId(told.kind, told.subject);
  return { ...told, id, firstAt: before?.firstAt ?? now, lastAt: now };
}

/** A quarantined mark of something that no worker does by this mark. */
export function failedMark(kind: 'document' | 'file', subject: string, failure: Failure): Mark {
  const token = randomUUID();
  return {
    _id: markId(kind, subject),
    kind,
    subject,
    at: failure.firstAt,
    token,
    failedToken: token,
    due: NEVER,
    tries: failure.count,
    failure,
  };
}

/**
 * The id of what is quarantined: letters, digits and hyphens, so that it may stand in addresses, payloads and the ids
 * of jobs. No two subjects differ in a slash alone, so none share an id.
 */
export function quarantineId(kind: QuarantineKind, subject: string): string {
  return `${kind}-${subject.replaceAll('/', '-')}`;
}
