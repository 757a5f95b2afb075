import type { Collections } from './collections.js';
import type { DeletionKind } from './deletionRecord.js';

type Store = Pick<Collections, 'deletions'>;

/** Remembers that something is to be deleted, until endDeletion. */
export async function requestDeletion(
  { deletions }: Store,
  kind: DeletionKind,
  subject: string,
): Promise<void> {
  const asked = { kind, subject, requestedAt: new Date() };
  await deletions.updateOne({ _id: idOf(kind, subject) }, { $set: asked }, { upsert: true });
}

/** Forgets a deletion that was carried out. */
export async function endDeletion(
  { deletions }: Store,
  kind: DeletionKind,
  subject: string,
): Promise<void> {
  await deletions.deleteOne({ _id: idOf(kind, subject) });
}

function idOf(kind: DeletionKind, subject: string): string {
  return `${kind}-${subject}`;
}
