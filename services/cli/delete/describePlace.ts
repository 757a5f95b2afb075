import type { Collections } from '../../../shared/store/collections.js';
import { safeText } from '../safeText.js';
import { amounts } from './amounts.js';
import type { PlaceKind } from './placeKinds.js';

const ALIVE = { deleted: { $ne: true } };
const THREADS_AT_ONCE = 1_000;

/** The name of a thread, channel or server, and what is removed with it, in lines for people. */
export async function describePlace(
  collections: Pick<Collections, 'threads' | 'channels' | 'servers' | 'messages'>,
  kind: PlaceKind,
  id: string,
): Promise<string[]> {
  const { threads, channels, servers } = collections;
  if (kind === 'thread') {
    const thread = await threads.findOne({ _id: id });
    return linesOf(kind, id, thread?.title, await countWithin(collections, { _id: id }));
  }
  if (kind === 'channel') {
    const channel = await channels.findOne({ _id: id });
    return linesOf(kind, id, channel?.name, await countWithin(collections, { channelId: id }));
  }
  const server = await servers.findOne({ _id: id });
  const content = await countWithin(collections, { serverId: id });
  const inside = await channels.countDocuments({ serverId: id, ...ALIVE });
  return linesOf(kind, id, server?.name, { channel: inside, ...content });
}

function linesOf(
  kind: PlaceKind,
  id: string,
  name: string | undefined,
  counts: Record<string, number>,
): string[] {
  return [
    safeText(`This removes the ${kind} ${id}${name ? ` "${name}"` : ''}: ${amounts(counts)}`),
    'No import brings it back',
  ];
}

type Place = { _id: string } | { channelId: string } | { serverId: string };

async function countWithin(
  { threads, messages }: Pick<Collections, 'threads' | 'messages'>,
  place: Place,
): Promise<Record<string, number>> {
  const counts = { thread: 0, message: 0 };
  const count = async (threadIds: string[]): Promise<void> => {
    counts.thread += threadIds.length;
    // Each is counted from an index alone, because there may be millions of messages.
    const inside = { threadId: { $in: threadIds } };
    const [all, gone] = await Promise.all([
      messages.countDocuments(inside),
      messages.countDocuments({ ...inside, deleted: true }),
    ]);
    counts.message += all - gone;
  };
  let batch: string[] = [];
  for await (const { _id } of threads.find({ ...place, ...ALIVE }, { projection: { _id: 1 } })) {
    batch.push(_id);
    if (batch.length < THREADS_AT_ONCE) continue;
    await count(batch);
    batch = [];
  }
  if (batch.length > 0) await count(batch);
  return counts;
}
