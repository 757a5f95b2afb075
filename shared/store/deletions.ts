import type { Collections } from './collections.js';

/** What can be deleted. */
export type DeletionKind = 'thread' | 'channel' | 'server' | 'message';

/** A deletion that was asked for and has not come to its end: it outlives its job, should Redis forget it. */
export interface DeletionRecord {
  /** `<kind>-<subject>` */
  _id: string;
  kind: DeletionKind;
  /** The id of what is to be deleted. */
  subject: string;
  requestedAt: Date;
}

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
