import type { DifferenceKind } from '../../../shared/contract/verify.js';

/** Something that is not as the records say, as one look found it. */
export interface Difference {
  kind: DifferenceKind;
  /** What it is about: a thread, a person or a server by its id; in the leftovers a document's own id. */
  id: string;
  /** How it differs, for people. */
  detail: string;
  /** What was compared. Found again with the same basis, it is no work in flight. */
  basis: string;
  /** What mending needs to know beside the id. */
  clue?: DifferenceClue;
}

/**
 * `above`: a revision that what is written must exceed. `member`: `<serverId>/<userId>`. `messagesOnly`: its thread
 * stays.
 */
export interface DifferenceClue {
  above?: number;
  userId?: string;
  member?: string;
  messagesOnly?: boolean;
  /** Documents of a search index. */
  index?: string;
  documents?: { id: string; version: number }[];
}

/** Names a difference of one state of the archive. */
export function keyOf({ kind, id, detail, basis }: Difference): string {
  return `${kind} ${id} ${basis} ${detail}`;
}
