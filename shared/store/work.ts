import { randomUUID } from 'node:crypto';
import type { AnyBulkWriteOperation } from 'mongodb';
import type { QuarantineKind } from '../contract/quarantine.js';

/** What follows from a change and is done by the background loop; services/indexer/work/kinds.ts tells how. */
export type LoopKind =
  | 'channel'
  | 'people'
  | 'member'
  | 'thread'
  | 'links'
  | 'lists'
  | 'person'
  | 'server'
  | 'similar'
  | 'shown'
  | 'mirror';

/** Also a file whose import has begun, which its job does, and a document that the search index refused. */
export type WorkKind = LoopKind | 'file' | 'document';

/** Why a mark is quarantined: it cannot be done, and holds up nothing else. It goes with its mark. */
export interface Failure {
  /** By `quarantineId`: names the entry in the API. */
  id: string;
  kind: QuarantineKind;
  /** A document's id in the search index, a thread's id, an upload's id, or a mark's. */
  subject: string;
  /** The thread it belongs to; null where that is not known. */
  threadId: string | null;
  /** The latest version of a document that was refused; 0 for everything else. */
  revision: number;
  /** What was said of the failure, without what anybody wrote. */
  reason: string;
  firstAt: Date;
  lastAt: Date;
  /** Tries that failed. */
  count: number;
}

/**
 * A mark: something is still to be done about a subject. It is set with the change that makes it necessary, in one
 * transaction or before it, and goes only when what it asks for is stored.
 */
export interface Mark {
  /** `<kind>/<subject>` */
  _id: string;
  kind: WorkKind;
  /**
   * The id of a thread, channel, person, server, member, upload or search document. Of the mirror, `thread/ID`,
   * `user/ID` or `server/ID`, or `all`.
   */
  subject: string;
  /** New with each setting: what was read before the last setting is not what is asked for. */
  token: string;
  /** When it was first set. */
  at: Date;
  /** Nobody takes it before: a delay, or the lease of whoever works on it. AT_ONCE and NEVER have their names. */
  due: Date;
  /** The requests that led to the mark, such as `import/ID`. Whoever made a request waits until no mark names it. */
  causes?: string[];
  /** Who works on it: only its holder may store what comes of it, and take it away. */
  claim?: string;
  /**
   * Of a thread: all of its search documents are to be sent, also those that seem to be as they were. It is set when a
   * build has not ended, as that may have sent others, and by whoever doubts the index.
   */
  whole?: true;
  /** Runs that began, and did not end well: absent while all is well. */
  tries?: number;
  /** Of a quarantined mark, the token that failed: set again, it is tried once more. */
  failedToken?: string;
  /** Of a file: it has changed something, of this thread if of any. Set with the first change. */
  changed?: { threadId?: string };
  /** Why it was quarantined. It stays until the mark is done. */
  failure?: Failure;
}

/** Due whatever the clocks of other processes say. */
export const AT_ONCE = new Date(0);
/** Due to nobody: the mark is quarantined. */
export const NEVER = new Date('9999-12-31');

/** What fails, or ends its process, so often is quarantined. */
export const MOST_TRIES = 5;

/** Whether nobody is to do a mark: it failed too often, and nothing has changed since. */
export function isQuarantined({ due, token, failedToken }: Mark): boolean {
  return due.getTime() === NEVER.getTime() && token === failedToken;
}

/** How a mark is set. */
export interface Marking {
  causes?: readonly string[] | undefined;
  due?: Date;
  whole?: boolean;
}

/** The id of a mark. */
export function markId(kind: WorkKind, subject: string): string {
  return `${kind}/${subject}`;
}

/** A mark that was not there before. */
export function newMark(
  kind: WorkKind,
  subject: string,
  { causes = [], due = AT_ONCE, whole = false }: Marking = {},
): Mark {
  const _id = markId(kind, subject);
  const mark = { _id, kind, subject, token: randomUUID(), at: new Date(), due };
  return {
    ...mark,
    ...(whole && { whole }),
    ...(causes.length > 0 && { causes: [...causes] }),
  };
}

/** A write that sets a mark, whether it is there or not. */
export function markWrite(
  kind: WorkKind,
  subject: string,
  { causes = [], due = AT_ONCE, whole = false }: Marking = {},
): AnyBulkWriteOperation<Mark> {
  return {
    updateOne: {
      filter: { _id: markId(kind, subject) },
      update: {
        $set: { kind, subject, token: randomUUID(), ...(whole && { whole }) },
        // One that is there may be somebody's: who holds it sees the new token, and does it again.
        $setOnInsert: { due, at: new Date() },
        ...(causes.length > 0 && { $addToSet: { causes: { $each: [...causes] } } }),
      },
      upsert: true,
    },
  };
}
