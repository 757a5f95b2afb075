import type { Collections } from '../../../shared/store/collections.js';
import type { ErasureRecord } from '../../../shared/store/erasureRecords.js';
import { idsIn } from '../../../shared/store/eraseText.js';
import { namedIn } from '../../../shared/store/namedIn.js';
import type { ThreadRecord } from '../../../shared/store/records.js';

/**
 * The names that must not stand in a thread's title, because the erasure of their bearers is pending. It returns the
 * names of people of whom the thread's records hold something. It also returns those of people whose traces a build has
 * removed from these records since the request.
 */
export async function namesToErase(
  { messages }: Pick<Collections, 'messages'>,
  { _id: threadId, title, ownerId, cleanedFor = -1 }: ThreadRecord,
  pending: readonly ErasureRecord[],
): Promise<string[]> {
  if (pending.length === 0) return [];
  const namesOf = new Map(pending.map(({ userId, names }) => [userId, new Set(names)]));
  const found = new Set<string | undefined>();
  const look = (text: string): void => {
    for (const id of idsIn(text)) if (namesOf.has(id)) found.add(id);
  };
  look(`${title} ${ownerId}`);
  for await (const message of messages.find({ threadId, deleted: { $ne: true } })) {
    look(JSON.stringify(message));
    for (const { id, names } of namedIn(message))
      for (const name of names) namesOf.get(id)?.add(name);
  }
  const here = pending.filter(({ userId, since = 0 }) => found.has(userId) || cleanedFor >= since);
  return here.flatMap(({ userId }) => [...namesOf.get(userId)!]);
}
