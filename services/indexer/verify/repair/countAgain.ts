import { bodyNames } from '../../../../shared/store/bodyKinds.js';
import type { Collections } from '../../../../shared/store/collections.js';
import type { UserRecord } from '../../../../shared/store/records.js';
import type { IndexerDeps } from '../../deps.js';
import { dirtyMember, dirtyServer, dirtyUser, markDirty } from '../../stores/dirtyMarks.js';
import type { Difference } from '../difference.js';

/** Has people counted again, on the servers where they differ, and their profiles written. */
export async function countAgain({ collections }: IndexerDeps, found: Difference[]): Promise<void> {
  const members = found.flatMap(({ clue }) => {
    const [serverId, userId] = clue?.member?.split('/') ?? [];
    return serverId && userId ? [dirtyMember(serverId, userId)] : [];
  });
  const restored: string[] = [];
  for (const userId of new Set(found.map(({ id }) => id))) {
    restored.push(...(await restoreUser(collections, userId)));
  }
  const users = found.map(({ id }) => dirtyUser(id));
  await markDirty(collections.dirty, [...users, ...members, ...restored]);
}

/** Records somebody again, where they are not, from the newest snapshot in their messages; gives what is to be counted. */
async function restoreUser(
  { messages, users, contributions }: Collections,
  userId: string,
): Promise<string[]> {
  if (await users.findOne({ _id: userId }, { projection: { _id: 1 } })) return [];
  const newest = await messages.findOne(
    { 'author.id': userId, counted: true, deleted: { $ne: true } },
    { sort: { asOf: -1 } },
  );
  if (!newest) return [];
  const { id: _id, ...snapshot } = newest.author;
  const user: Omit<UserRecord, '_id'> = { ...snapshot, asOf: newest.asOf };
  await users.updateOne({ _id }, { $setOnInsert: user }, { upsert: true });
  const places: string[] = await contributions.distinct('serverId', { userId });
  return places.map((serverId) => dirtyMember(serverId, userId));
}

/** Has servers counted again; what is shown of a server that is not recorded is removed. */
export async function markServers(
  { collections: { servers, bodies, dirty } }: IndexerDeps,
  found: Difference[],
): Promise<void> {
  for (const { id } of found) {
    if (id === 'all' || (await servers.findOne({ _id: id }))) continue;
    await bodies.deleteMany({ _id: { $in: bodyNames('server', id) } });
  }
  await markDirty(
    dirty,
    found.map(({ id }) => dirtyServer(id)),
  );
}
