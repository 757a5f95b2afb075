import { randomUUID } from 'node:crypto';
import type { Filter } from 'mongodb';
import type { QuarantineKind } from '../contract/quarantine.js';
import { markId, NEVER, type Failure, type Mark } from './work.js';

/**
 * Finds the marks that are quarantined, and those that were but are being tried again. MongoDB counts them from an index
 * alone, which it could not do where an id might be missing.
 */
export const FAILED: Filter<Mark> = { 'failure.id': { $gt: '' } };

/** The reason for a file that was imported, but whose thread could not be built. */
export const THREAD_QUARANTINED = 'Its thread is quarantined: it could not be built';

/** A failure, dated. `before` is the earlier failure of the same subject, if any. */
export function failureOf(
  before: Failure | undefined,
  told: Omit<Failure, 'id' | 'firstAt' | 'lastAt'>,
  now = new Date(),
): Failure {
  const id = quarantineId(told.kind, told.subject);
  return { ...told, id, firstAt: before?.firstAt ?? now, lastAt: now };
}

/** A quarantined mark that only records a failure. No worker does anything by it. */
export function failedMark(kind: 'document' | 'file', subject: string, failure: Failure): Mark {
  return {
    _id: markId(kind, subject),
    kind,
    subject,
    at: failure.firstAt,
    token: randomUUID(),
    due: NEVER,
    tries: failure.count,
    failure,
  };
}

/**
 * The id of a quarantined subject. It holds letters, digits and hyphens only, so it may stand in addresses, payloads
 * and job ids. No two subjects become equal when slashes become hyphens, so no two share an id.
 */
export function quarantineId(kind: QuarantineKind, subject: string): string {
  return `${kind}-${subject.replaceAll('/', '-')}`;
}
