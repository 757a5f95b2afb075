import type { DifferenceKind } from '../../../shared/contract/verify.js';

/** Something in the archive that does not match the records, as one look has found it. */
export interface Difference {
  kind: DifferenceKind;
  /** The id of the thread, person or server that it is about. Among the leftovers it is the id of a document. */
  id: string;
  /** How it differs, for people. */
  detail: string;
  /** What was compared. If a later look finds the difference with the same basis, nobody was working on it. */
  basis: string;
  /** What a repair needs to know beside the id. */
  clue?: DifferenceClue;
}

/**
 * `above`: the repair must write a greater revision than this. `member` and `line`: the id of a person's row on a
 * server, or of a line of a leaderboard, that must be removed. `messagesOnly`: the messages are removed, and their
 * thread stays.
 */
export interface DifferenceClue {
  above?: number;
  userId?: string;
  member?: string;
  line?: string;
  messagesOnly?: boolean;
  /** The documents of a search index that must not be there, with the versions that were found. */
  index?: string;
  documents?: { id: string; version: number }[];
}

/**
 * Names a difference in one state of the archive. Two looks that find the same difference in the same state give the
 * same name.
 */
export function keyOf({ kind, id, detail, basis }: Difference): string {
  return `${kind} ${id} ${basis} ${detail}`;
}
