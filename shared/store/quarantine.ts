/** Kinds of things that may be quarantined: a search document, a thread's views, an import's file, other work by its mark. */
export type QuarantineKind = 'document' | 'thread' | 'file' | 'work';

/**
 * Something that cannot be stored or built, quarantined so that it holds up nothing else. It goes when the thing, or a
 * newer revision of it, succeeds.
 */
export interface QuarantineRecord {
  /** By `quarantineId`. */
  _id: string;
  kind: QuarantineKind;
  /** A document's id in the search index, a thread's id, or an upload's id. */
  subject: string;
  /** The thread it belongs to; null where that is not known. */
  threadId: string | null;
  /** The latest revision of the thread that failed; 0 for a file. */
  revision: number;
  /** What was said of the failure, without what anybody wrote. */
  reason: string;
  firstAt: Date;
  lastAt: Date;
  /** Tries that failed. */
  count: number;
}

/** The id of what is quarantined: letters, digits and hyphens. */
export function quarantineId(kind: QuarantineKind, subject: string): string {
  return `${kind}-${subject}`;
}
