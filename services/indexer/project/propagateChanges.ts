import type { ChannelRecord } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import { markPropagated, type AppliedRecord } from '../records/applySource.js';
import { raiseRevisionsOfChannel } from '../records/threadRevision.js';
import { dirtyServer, dirtyUser, markDirty } from '../stores/dirtyMarks.js';
import { markAllDirty } from './markAllDirty.js';
import { refreshLinks } from './refreshLinks.js';

/**
 * Does what follows from a change of a channel: its threads and those that link to it show its name. Noted as done only
 * afterwards, so that a job that was cut off does it when it runs again.
 */
export async function propagateChannel(
  { collections }: IndexerDeps,
  { _id, serverId }: Pick<ChannelRecord, '_id' | 'serverId'>,
  { changes, spread }: AppliedRecord,
): Promise<void> {
  if (changes === spread) return;
  // After the first change, its creation, no thread shows another name.
  if (changes > 1) await raiseRevisionsOfChannel(collections.threads, _id);
  await refreshLinks(collections, _id);
  await markDirty(collections.dirty, [dirtyServer(serverId)]);
  await markPropagated(collections.channels, _id, changes);
}

/** Does what follows from a change of a server: its own views, and its members' profiles, show its name. */
export async function propagateServer(
  { collections }: IndexerDeps,
  serverId: string,
  { changes, spread }: AppliedRecord,
): Promise<void> {
  if (changes === spread) return;
  const members = collections.members.find({ serverId }, { projection: { userId: 1 } });
  await markAllDirty(collections.dirty, members, ({ userId }) => dirtyUser(userId));
  await markDirty(collections.dirty, [dirtyServer(serverId)]);
  await markPropagated(collections.servers, serverId, changes);
}
