import type { Collections } from '../../../shared/store/collections.js';
import { NEVER_CHECKED } from '../../../shared/store/syncRecords.js';

/** The sync postpones nothing for more than some minutes. A time that is further ahead than this (ms) is wrong. */
const LONGEST_MS = 2 * 3_600_000;

/**
 * Corrects times that were stored while the clock was ahead. What is due only in a year would otherwise wait for a year.
 * A thread whose last reading seems to lie in the future would not be read again until then. The messages of a forum
 * that seems to be withheld from a future moment on would be kept until then.
 */
export async function correctTimes({
  sync,
  channels,
}: Pick<Collections, 'sync' | 'channels'>): Promise<void> {
  const now = new Date();
  const ahead = { $gt: now };
  const tooFar = { $gt: new Date(now.getTime() + LONGEST_MS) };
  const soon = { $set: { dueAt: now } };
  const kinds = ['thread', 'message', 'request'] as const;
  await sync.bulkWrite(
    [
      ...kinds.map((kind) => ({
        updateMany: { filter: { kind, dueAt: tooFar }, update: soon },
      })),
      {
        updateMany: {
          filter: { kind: 'thread', readAt: ahead },
          update: { $unset: { readAt: '' } },
        },
      },
      {
        updateMany: {
          filter: { kind: 'member', checkedAt: ahead },
          update: { $set: { checkedAt: NEVER_CHECKED } },
        },
      },
      {
        updateMany: {
          filter: { kind: 'channel', refusedAt: ahead },
          update: { $unset: { refusedAt: '' } },
        },
      },
    ],
    { ordered: false },
  );
  await channels.updateMany({ withheldAt: ahead }, { $set: { withheldAt: now } });
}
