import type { Abortable, FindOptions } from 'mongodb';
import type { Collections } from './collections.js';

/** Seconds since the oldest mark of a thread that waits to be built; null when none waits. */
export async function oldestPendingSeconds(
  { threads }: Pick<Collections, 'threads'>,
  options: FindOptions & Abortable = {},
): Promise<number | null> {
  const marked = { pending: { $exists: true }, pendingAt: { $gt: new Date(0) } };
  const [oldest] = await threads.find(marked, options).sort({ pendingAt: 1 }).limit(1).toArray();
  const since = oldest?.pendingAt?.getTime();
  return since === undefined ? null : Math.max(0, (Date.now() - since) / 1_000);
}
