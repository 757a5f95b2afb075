import { syncOf } from '../../../shared/store/syncRecords.js';
import { forgetChannels } from './forgetChannels.js';
import type { LoadedServer, SyncDeps } from './syncDeps.js';

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

/**
 * Notes why a forum cannot be synced: the platform has refused what was asked for while `server` was the last look at
 * its server. Nothing more of the forum is asked for until the server is looked at again. Where that was done meanwhile,
 * the refusal may be older than the look, so nothing is noted.
 */
export async function suspendChannel(
  { collections: { sync }, servers }: Pick<SyncDeps, 'collections' | 'servers'>,
  server: LoadedServer,
  channelId: string,
  problem: string,
): Promise<void> {
  if (servers.get(server.serverId) !== server) return;
  server.channels.delete(channelId);
  await forgetChannels(sync, { _id: channelId });
  await syncOf(sync, 'channel').updateOne({ _id: channelId }, { $set: { problem } });
}
