import { syncOf } from '../../../shared/store/syncRecords.js';
import { forgetChannels } from './forgetChannels.js';
import type { SyncDeps } from './syncDeps.js';

/** Why nothing of a server is synced that the bot was removed from. */
export const NOT_THERE = 'The bot is not on this server';

/**
 * Notes why nothing of a server can be synced. Nobody hears what happens there meanwhile, so it is read from its
 * beginning when it can be read again. What is archived of it stays.
 */
export async function leaveOutServer(
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
