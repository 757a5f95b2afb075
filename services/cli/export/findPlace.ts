import type { Collection, Filter } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type { ChannelRecord, ServerRecord, ThreadRecord } from '../../../shared/store/records.js';

/** The server and channel of a thread. */
export interface Place {
  server: ServerRecord;
  channel: ChannelRecord;
}

/**
 * Finds a place by its ids. `hidden` means that its server or channel is deleted, or that its channel is not public any
 * more. `unknown` means that one of them is not recorded.
 */
export type FindPlace = (
  ids: Pick<ThreadRecord, 'serverId' | 'channelId'>,
) => Promise<Place | 'hidden' | 'unknown'>;

/**
 * Makes a FindPlace that looks a place up when it is first asked for. So a place that was added during the export is
 * found.
 */
export function createFindPlace({
  servers,
  channels,
}: Pick<Collections, 'servers' | 'channels'>): FindPlace {
  const findServer = remembered(servers);
  const findChannel = remembered(channels);
  return async ({ serverId, channelId }) => {
    const [server, channel] = await Promise.all([findServer(serverId), findChannel(channelId)]);
    if (server?.deleted || channel?.deleted || channel?.withheldAt) return 'hidden';
    return server && channel ? { server, channel } : 'unknown';
  };
}

function remembered<T extends { _id: string }>(
  collection: Collection<T>,
): (id: string) => Promise<T | undefined> {
  const known = new Map<string, T>();
  return async (id) => {
    const found = known.get(id) ?? (await collection.findOne<T>({ _id: id } as Filter<T>));
    if (found) known.set(id, found);
    return found ?? undefined;
  };
}
