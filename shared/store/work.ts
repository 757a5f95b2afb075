import { randomUUID } from 'node:crypto';
import type { QuarantineKind } from '../contract/quarantine.js';

/**
 * What follows from a change, and is done by the background loops. services/indexer/work/kinds.ts describes each kind.
 */
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

/** Marks of these kinds may wait for a long time, so each kind has a loop of its own. */
export const LATE_KINDS = ['similar', 'mirror'] as const satisfies readonly LoopKind[];
/** A kind of marks that may wait for a long time. */
export type LateKind = (typeof LATE_KINDS)[number];

/** Also marks that no loop does: a file whose import has begun, and a document that the search index has refused. */
export type WorkKind = LoopKind | 'file' | 'document';

/** Why a mark is quarantined: it cannot be done, and must not hold up others. It goes with its mark. */
export interface Failure {
  /** The id of the entry in the API, by `quarantineId`. */
  id: string;
  kind: QuarantineKind;
  /** The id of a document in the search index, a thread, an upload or a mark. */
  subject: string;
  /** The thread that it belongs to; null where that is not known. */
  threadId: string | null;
  /** The latest version of a document that was refused; 0 for everything else. */
  revision: number;
  /** Describes the failure, without anything that people wrote. */
  reason: string;
  firstAt: Date;
  lastAt: Date;
  /** How many tries have failed. */
  count: number;
}

/**
 * A mark: something is still to be done about a subject. It is set in the transaction of the change that makes it
 * necessary, or before it. It is removed only when the result is stored.
 */
export interface Mark {
  /** `<kind>/<subject>` */
  _id: string;
  kind: WorkKind;
  /**
   * The id of a thread, channel, person, server, member, upload or search document. For the mirror, it is `thread/ID`,
   * `user/ID`, `server/ID` or `all`.
   */
  subject: string;
  /** Changes whenever the mark is set. Work that began with an older token does not end the mark. */
  token: string;
  /** When it was first set. */
  at: Date;
  /**
   * Nobody takes the mark before this time. It is a delay, or the end of the claim of the worker that does it. AT_ONCE
   * and NEVER have a special meaning.
   */
  due: Date;
  /** The requests that led to the mark, such as `import/ID`. Whoever made a request waits until no mark names it. */
  causes?: string[];
  /**
   * The causes with which the mark was set again after a worker had claimed it. When that worker has done the mark, the
   * earlier causes are done, and these become the causes of the mark.
   */
  again?: string[];
  /** The worker that does it. Only this worker may store the result and remove the mark. */
  claim?: string;
  /**
   * For a thread: all of its search documents must be sent, even if they seem unchanged. It is set after a build that
   * did not end, because that build may have sent other documents, and wherever the index may differ from the
   * documents that the last build sent.
   */
  whole?: true;
  /** How many tries were begun and have not succeeded, the one under way included. Absent where there are none. */
  tries?: number;
  /** For a file: set with the first change that its import makes, with the thread if there is one. */
  changed?: { threadId?: string };
  /** Why it was quarantined. It stays until the mark is done. */
  failure?: Failure;
}

/** Due at once, whatever the clocks of other processes say. */
export const AT_ONCE = new Date(0);
/**
 * Never due: the mark is quarantined. When it is set again, it is due at once. It is then tried once more, unless its
 * last tries ended the process.
 */
export const NEVER = new Date('9999-12-31');

/** A mark is quarantined after so many tries that failed or ended their process. */
export const MOST_TRIES = 5;

/** Whether a mark is left alone: it has failed too often, and has not been set again since. */
export function isQuarantined({ due }: Pick<Mark, 'due'>): boolean {
  return due.getTime() === NEVER.getTime();
}

/** How a mark is set. */
export interface Marking {
  causes?: readonly string[] | undefined;
  due?: Date | undefined;
  whole?: boolean;
}

/** The id of a mark. */
export function markId(kind: WorkKind, subject: string): string {
  return `${kind}/${subject}`;
}

/** A mark for something that has none yet. */
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
