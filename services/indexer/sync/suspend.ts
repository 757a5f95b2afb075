import { syncOf } from '../../../shared/store/syncRecords.js';
import { forgetChannels } from './forgetChannels.js';
import type { SyncDeps } from './syncDeps.js';

/** The problem of a server from which the bot was removed. */
export const NOT_THERE = 'The bot is not on this server';

/**
 * Notes why a server cannot be synced. Nobody hears what happens there meanwhile. So when the server can be read again,
 * it is read from its beginning. What is archived of it stays.
 */
export async function suspendServer(
  { collections: { sync }, servers }: Pick<SyncDeps, 'collections' | 'servers'>,
  serverId: string,
  problem: string,
): Promise<void> {
  servers.delete(serverId);
  await forgetChannels(sync, { serverId });
  await syncOf(sync, 'server').updateOne(
    { _id: serverId, kind: 'server' },
    { $set: { checkedAt: new Date(), problem }, $setOnInsert: { name: serverId } },
    { upsert: true },
  );
}

/** Notes why a forum cannot be synced. Nothing more of it is asked for until its server is looked at again. */
export async function suspendChannel(
  { collections: { sync }, servers }: Pick<SyncDeps, 'collections' | 'servers'>,
  { serverId, channelId }: { serverId: string; channelId: string },
  problem: string,
): Promise<void> {
  servers.get(serverId)?.channels.delete(channelId);
  await forgetChannels(sync, { _id: channelId });
  await syncOf(sync, 'channel').updateOne({ _id: channelId }, { $set: { problem } });
}
