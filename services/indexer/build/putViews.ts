import { isDeepStrictEqual } from 'node:util';
import type { ContributionView, MemberView, RankView } from '../../../shared/store/views.js';
import { encodeBody, type BodyTexts } from '../stores/bodyWriter.js';
import type { Documents } from '../work/change.js';

/** Views that are stored as rows. One thread or person has several of them. */
interface Rows {
  contributions: ContributionView;
  members: MemberView;
  ranks: RankView;
}

/** Stores bodies of a version; those without a text are removed. */
export function putBodies(documents: Documents, texts: BodyTexts, version: number): void {
  for (const name of texts.keys()) putBody(documents, texts, name, version);
}

/** Stores one of some bodies. It is removed where it has no text, or is not among them. */
export function putBody(
  documents: Documents,
  texts: BodyTexts,
  name: string,
  version: number,
): void {
  const text = texts.get(name) ?? null;
  if (text === null) documents.remove('bodies', name);
  else documents.put('bodies', encodeBody(name, version, text));
}

/** How rows that were made again differ from those that are stored, in more than their version. */
export interface RowChanges<Row> {
  /** Rows that are new or different. */
  put: Row[];
  /** Stored rows that were not made again. */
  removed: Row[];
}

/** Compares rows that were made again with those that are stored. */
export function compareRows<Row extends { _id: string }>(
  stored: readonly Row[],
  made: readonly Row[],
): RowChanges<Row> {
  const left = new Map(stored.map((row) => [row._id, row]));
  const put = made.filter((row) => {
    const known = left.get(row._id);
    left.delete(row._id);
    return !known || !isDeepStrictEqual(withoutVersion(known), withoutVersion(row));
  });
  return { put, removed: [...left.values()] };
}

/** Stores the changes of rows. */
export function putChanges<N extends keyof Rows>(
  documents: Documents,
  name: N,
  { put, removed }: RowChanges<Rows[N]>,
): void {
  for (const row of put) documents.put(name, row as never);
  for (const { _id } of removed) documents.remove(name, _id);
}

/**
 * Stores rows that differ from the stored ones in more than their version, and removes stored rows that were not made
 * again. Returns the rows that it has stored or removed.
 */
export function putRows<N extends keyof Rows>(
  documents: Documents,
  name: N,
  stored: readonly Rows[N][],
  made: readonly Rows[N][],
): Rows[N][] {
  const changes = compareRows(stored, made);
  putChanges(documents, name, changes);
  return [...changes.put, ...changes.removed];
}

function withoutVersion(row: object): object {
  return { ...row, version: 0, revision: 0 };
}
