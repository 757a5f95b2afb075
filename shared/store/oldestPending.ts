import type { Collections } from './collections.js';
import { NEVER } from './work.js';

/** The age (seconds) of the oldest mark of a thread that waits to be built; null where none waits. */
export async function oldestPendingSeconds({
  work,
}: Pick<Collections, 'work'>): Promise<number | null> {
  // An index holds the marks that are not quarantined by their times.
  const waiting = { kind: 'thread' as const, due: { $lt: NEVER } };
  const [oldest] = await work.find(waiting).sort({ at: 1 }).limit(1).toArray();
  return oldest ? Math.max(0, (Date.now() - oldest.at.getTime()) / 1_000) : null;
}
