import type { UserRecord } from '../../../../shared/store/records.js';
import type { IndexerDeps } from '../../deps.js';
import { dirtyMember, dirtyServer, dirtyUser, markDirty } from '../../stores/dirtyMarks.js';
import type { Difference } from '../difference.js';

/** Has people counted again, on the servers where they differ, and their profiles written. */
export async function markPeople(
  { collections: { dirty } }: IndexerDeps,
  found: Difference[],
): Promise<void> {
  await markDirty(dirty, [
    ...found.map(({ id }) => dirtyUser(id)),
    ...found.flatMap(({ clue }) => {
      const [serverId, userId] = clue?.member?.split('/') ?? [];
      return serverId && userId ? [dirtyMember(serverId, userId)] : [];
    }),
  ]);
}

/** Has servers counted again; what is shown of a server that is not recorded is removed. */
export async function markServers(
  { collections: { servers, bodies, dirty } }: IndexerDeps,
  found: Difference[],
): Promise<void> {
  for (const { id } of found) {
    if (id === 'all' || (await servers.findOne({ _id: id }))) continue;
    const kinds = ['server', 'channels', 'tags', 'stats'];
    await bodies.deleteMany({ _id: { $in: kinds.map((kind) => `${kind}/${id}`) } });
  }
  await markDirty(
    dirty,
    found.map(({ id }) => dirtyServer(id)),
  );
}

/** Records people again from the newest snapshot in their messages, and has them counted. */
export async function restoreUsers(
  { collections: { messages, users, contributions, dirty } }: IndexerDeps,
  found: Difference[],
): Promise<void> {
  for (const { id: userId } of found) {
    const [newest] = await messages
      .find({ 'author.id': userId, counted: true, deleted: { $ne: true } })
      .sort({ asOf: -1 })
      .limit(1)
      .toArray();
    if (!newest) continue;
    const { id: _id, ...snapshot } = newest.author;
    const user: Omit<UserRecord, '_id'> = { ...snapshot, asOf: newest.asOf };
    await users.updateOne({ _id }, { $setOnInsert: user }, { upsert: true });
    const places: string[] = await contributions.distinct('serverId', { userId });
    await markDirty(dirty, [
      dirtyUser(userId),
      ...places.map((serverId) => dirtyMember(serverId, userId)),
    ]);
  }
}
