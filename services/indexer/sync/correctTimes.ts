import type { Collections } from '../../../shared/store/collections.js';
import { NEVER_CHECKED, syncOf } from '../../../shared/store/syncRecords.js';

/** The sync postpones nothing for more than some minutes. A time that is further ahead than this (ms) is wrong. */
const LONGEST_MS = 2 * 3_600_000;

/**
 * Corrects times that were stored while the clock was ahead. What is due only in a year would otherwise wait for a year.
 * A thread whose last reading seems to lie in the future would not be read again until then.
 */
export async function correctTimes({ sync }: Pick<Collections, 'sync'>): Promise<void> {
  const now = new Date();
  const ahead = { $gt: now };
  const tooFar = { $gt: new Date(now.getTime() + LONGEST_MS) };
  for (const kind of ['thread', 'message', 'request'] as const)
    await syncOf(sync, kind).updateMany({ kind, dueAt: tooFar }, { $set: { dueAt: now } });
  await syncOf(sync, 'thread').updateMany(
    { kind: 'thread', readAt: ahead },
    { $unset: { readAt: '' } },
  );
  await syncOf(sync, 'member').updateMany(
    { kind: 'member', checkedAt: ahead },
    { $set: { checkedAt: NEVER_CHECKED } },
  );
  await syncOf(sync, 'channel').updateMany(
    { kind: 'channel', refusedAt: ahead },
    { $unset: { refusedAt: '' } },
  );
}
