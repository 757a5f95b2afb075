import { randomUUID } from 'node:crypto';
import type { AnyBulkWriteOperation } from 'mongodb';

/** What can be left to do about something; services/indexer/work/kinds.ts tells what is done. */
export type WorkKind =
  'channel' | 'people' | 'thread' | 'links' | 'lists' | 'person' | 'server' | 'similar' | 'shown';

/**
 * A mark: something is still to be done about a subject. It is set with the change that makes it necessary, in one
 * transaction or before it, and goes only when what it asks for is stored.
 */
export interface Mark {
  /** `<kind>/<subject>` */
  _id: string;
  kind: WorkKind;
  /** The id of a thread, channel, person or server. */
  subject: string;
  /** New with each setting: what was read before the last setting is not what is asked for. */
  token: string;
  /** When it was first set. */
  at: Date;
  /** Nobody takes it before: a delay, or the lease of whoever works on it. AT_ONCE and NEVER have their names. */
  due: Date;
  /** What it follows from, such as `import/ID`: whoever caused it waits until no mark names the cause. */
  causes?: string[];
  /** Who works on it: only its holder may store what comes of it, and take it away. */
  claim?: string;
  /** Runs that began, and did not end well: absent while all is well. */
  tries?: number;
  /** Of a quarantined mark, the token that failed: set again, it is tried once more. */
  failedToken?: string;
}

/** Due whatever the clocks of other processes say. */
export const AT_ONCE = new Date(0);
/** Due to nobody: the mark is quarantined. */
export const NEVER = new Date('9999-12-31');

/** How a mark is set. */
export interface Marking {
  causes?: readonly string[] | undefined;
  due?: Date;
}

/** The id of a mark. */
export function markId(kind: WorkKind, subject: string): string {
  return `${kind}/${subject}`;
}

/** A write that sets a mark, whether it is there or not. */
export function markWrite(
  kind: WorkKind,
  subject: string,
  { causes = [], due = AT_ONCE }: Marking = {},
): AnyBulkWriteOperation<Mark> {
  return {
    updateOne: {
      filter: { _id: markId(kind, subject) },
      update: {
        $set: { kind, subject, token: randomUUID() },
        // One that is there may be somebody's: who holds it sees the new token, and does it again.
        $setOnInsert: { due, at: new Date() },
        ...(causes.length > 0 && { $addToSet: { causes: { $each: [...causes] } } }),
      },
      upsert: true,
    },
  };
}
