import type { Collections } from '../../../../shared/store/collections.js';
import type { ThreadRecord } from '../../../../shared/store/records.js';
import type { Mark } from '../../../../shared/store/work.js';
import { within, type IdWindow } from '../../records/idWindow.js';

/** A thread's record, and what verification needs to know beside it. */
export interface VerifiedThread extends ThreadRecord {
  /** The version of its views; 0 where it has none. */
  revision: number;
  /** The mark that it is still to be built; null where it has none. */
  mark: Mark | null;
  /** Whether its channel and its server are recorded. */
  isPlaced: boolean;
  /** Whether its channel or its server was deleted. */
  isPlaceDeleted: boolean;
}

/** Resolves with the records of a window's threads, and what is to be known beside them. */
export async function verifiedThreads(
  { threads, threadItems, work, channels, servers }: Collections,
  window: IdWindow,
): Promise<VerifiedThread[]> {
  const marks = await work.find({ _id: within(window, 'thread/') }).toArray();
  const markOf = new Map(marks.map((mark) => [mark.subject, mark]));
  const records = await threads.find({ _id: within(window) }).toArray();
  const items = await threadItems
    .find({ _id: within(window) }, { projection: { revision: 1 } })
    .toArray();
  const revisionOf = new Map(items.map(({ _id, revision }) => [_id, revision]));
  const fields = { projection: { deleted: 1 } };
  const channelIds = [...new Set(records.map(({ channelId }) => channelId))];
  const serverIds = [...new Set(records.map(({ serverId }) => serverId))];
  const [channelOf, serverOf] = await Promise.all([
    channels
      .find({ _id: { $in: channelIds } }, fields)
      .toArray()
      .then(byId),
    servers
      .find({ _id: { $in: serverIds } }, fields)
      .toArray()
      .then(byId),
  ]);
  return records.map((record) => {
    const places = [channelOf.get(record.channelId), serverOf.get(record.serverId)];
    return {
      ...record,
      revision: revisionOf.get(record._id) ?? 0,
      mark: markOf.get(record._id) ?? null,
      isPlaced: places.every((place) => place !== undefined),
      isPlaceDeleted: places.some((place) => place?.deleted === true),
    };
  });
}

function byId<T extends { _id: string }>(records: readonly T[]): Map<string, T> {
  return new Map(records.map((record) => [record._id, record]));
}
