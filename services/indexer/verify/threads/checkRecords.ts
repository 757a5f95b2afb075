import type { Collections } from '../../../../shared/store/collections.js';
import type { Difference } from '../difference.js';
import { within } from '../../records/idWindow.js';
import type { ExpectedThread } from './expectThreads.js';
import { differenceOf, type ThreadCheck, type ThreadLook } from './threadLook.js';

/**
 * The records themselves: threads that wait to be built or are in quarantine; what is recorded without its thread,
 * channel or server; what was deleted or erased and is still there.
 */
export const checkRecords: ThreadCheck = async (look) => {
  const { deps, threads } = look;
  const unseen = await unseenMessages(deps.collections, look);
  const isGone = await deletedPlaces(deps.collections, [...threads.values()]);
  return [
    ...(await strayMessages(look)),
    ...[...threads.values()].flatMap((one) => [
      ...stateDifference(one),
      ...deletedDifferences(one, unseen.get(one.thread._id), isGone(one)),
      ...erasedDifferences(look, one, unseen.get(one.thread._id)),
    ]),
  ];
};

function stateDifference({ thread, state, fault }: ExpectedThread): Difference[] {
  const { channelId, serverId, mark } = thread;
  if (state === 'orphan') {
    const detail = `Channel ${channelId} or server ${serverId} is not recorded`;
    return [differenceOf(thread, 'record.orphan', detail)];
  }
  if (state === 'quarantined') {
    return [differenceOf(thread, 'thread.quarantined', 'See /admin/quarantine')];
  }
  if (state === 'waiting') {
    return [differenceOf(thread, 'thread.waiting', `Marked ${mark?.at.toISOString()}`)];
  }
  if (fault !== null) return [differenceOf(thread, 'thread.wrong', 'It cannot be built')];
  return [];
}

/** What readers never see of a thread. */
interface Unseen {
  /** Authors of notices, such as pins and renames. */
  noticed: Set<string>;
  /** Deleted messages that still have words. */
  kept: number;
  /** Messages of a deleted thread that are not deleted themselves. */
  left: number;
}

async function unseenMessages(
  { messages }: Collections,
  { window, threads }: ThreadLook,
): Promise<Map<string, Unseen>> {
  const byThread = new Map<string, Unseen>();
  const of = (id: string): Unseen => {
    const known = byThread.get(id) ?? { noticed: new Set(), kept: 0, left: 0 };
    byThread.set(id, known);
    return known;
  };
  const threadId = within(window);
  const fields = { projection: { threadId: 1, 'author.id': 1 } } as const;
  const kept = messages.find({ threadId, deleted: true, content: { $ne: '' } }, fields);
  for await (const message of kept) of(message.threadId).kept += 1;
  const notices = messages.find({ threadId, counted: false, deleted: { $ne: true } }, fields);
  for await (const { threadId: id, author } of notices) of(id).noticed.add(author.id);
  const gone = [...threads.values()].filter(({ thread }) => thread.deleted);
  const ofGone = { threadId: { $in: gone.map(({ thread }) => thread._id) } };
  const left = messages.find({ ...ofGone, deleted: { $ne: true } }, fields);
  for await (const message of left) of(message.threadId).left += 1;
  return byThread;
}

function deletedDifferences(
  { thread }: ExpectedThread,
  unseen: Unseen | undefined,
  isOfGonePlace: boolean,
): Difference[] {
  const { left = 0, kept = 0 } = unseen ?? {};
  const found: Difference[] = [];
  if (kept > 0) {
    const detail = `${kept} deleted messages have words`;
    found.push(differenceOf(thread, 'deleted.kept', detail, { messagesOnly: true }));
  }
  if (left > 0) {
    found.push(differenceOf(thread, 'deleted.kept', `${left} messages have words`));
  } else if (!thread.deleted && isOfGonePlace) {
    found.push(differenceOf(thread, 'deleted.kept', 'Its channel or server was deleted'));
  }
  return found;
}

function erasedDifferences(
  { traces: { isErased, inText } }: ThreadLook,
  { thread, traces }: ExpectedThread,
  unseen: Unseen | undefined,
): Difference[] {
  const named = inText(`${thread.title} ${thread.ownerId ?? ''}`);
  const noticed = [...(unseen?.noticed ?? [])].filter(isErased);
  return [...new Set([...traces.keys(), ...named, ...noticed])].map((userId) => {
    const messageId = traces.get(userId);
    const detail = messageId === undefined ? `Of user ${userId}` : `In message ${messageId}`;
    return differenceOf(thread, 'erased.kept', detail, { userId });
  });
}

async function deletedPlaces(
  { channels, servers }: Collections,
  threads: readonly ExpectedThread[],
): Promise<(one: ExpectedThread) => boolean> {
  const channelIds = [...new Set(threads.map(({ thread }) => thread.channelId))];
  const [goneChannels, goneServers] = await Promise.all([
    channels.distinct('_id', { _id: { $in: channelIds }, deleted: true }),
    servers.distinct('_id', { deleted: true }),
  ]);
  const gone = new Set<string>([...goneChannels, ...goneServers]);
  return ({ thread }) => gone.has(thread.channelId) || gone.has(thread.serverId);
}

async function strayMessages({ deps, window, threads }: ThreadLook): Promise<Difference[]> {
  const groups = deps.collections.messages.aggregate<{ _id: string; count: number }>(
    [
      { $match: { threadId: within(window) } },
      { $group: { _id: '$threadId', count: { $sum: 1 } } },
    ],
    { hint: 'thread_order' },
  );
  const found: Difference[] = [];
  for await (const { _id: id, count } of groups) {
    if (threads.has(id)) continue;
    found.push({
      kind: 'record.orphan',
      id,
      detail: `${count} messages without a thread`,
      basis: '',
    });
  }
  return found;
}
