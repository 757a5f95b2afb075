import type { Collection } from 'mongodb';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import type { MessageRecord, SourceMessage, ThreadRecord } from '../../../shared/store/records.js';
import { nextRevision, nowMicroseconds } from './threadRevision.js';
import { ERASED_ID } from './tombstones.js';

/** Says that a thread was started by somebody who is erased: no other is taken for its author. */
export async function disownThread(
  threads: Collection<ThreadRecord>,
  threadId: string,
): Promise<void> {
  const filter = { _id: threadId, ownerId: { $ne: ERASED_ID }, deleted: { $ne: true } };
  await threads.updateOne(filter, [
    { $set: { ownerId: ERASED_ID } },
    ...nextRevision(nowMicroseconds()),
  ]);
}

/** The messages, emptied where they forward what somebody wrote who is erased. */
export async function withoutErasedForwards<T extends SourceMessage>(
  messages: Collection<MessageRecord>,
  batch: T[],
  erased: ErasedPeople,
): Promise<T[]> {
  const ids = erased.isEmpty ? [] : batch.flatMap((message) => forwardedId(message) ?? []);
  if (ids.length === 0) return batch;
  const silent = await messages
    .find({ _id: { $in: ids }, deleted: true }, { projection: { _id: 1 } })
    .toArray();
  const gone = new Set(silent.map(({ _id }) => _id));
  return batch.map((message) =>
    gone.has(forwardedId(message) ?? '') ? { ...message, forwarded: null } : message,
  );
}

function forwardedId({ forwarded, reference }: SourceMessage): string | null {
  return forwarded ? (reference?.messageId ?? null) : null;
}
