import type { Difference } from '../difference.js';
import { within } from '../../records/idWindow.js';
import { HAS_WORDS } from '../../../../shared/store/redacted.js';
import { basisOf } from '../awaitWork.js';
import type { ExpectedThread } from './expectThreads.js';
import { differenceOf, type ThreadCheck, type ThreadLook } from './threadLook.js';

/**
 * Checks the records themselves. It reports threads that wait to be built or are in quarantine, messages that are
 * recorded without their thread, threads without their channel or server, and things that were deleted or erased and
 * are still there.
 */
export const checkRecords: ThreadCheck = async (look) => {
  const { threads } = look;
  const strays = await strayMessages(look);
  const unseen = await unseenMessages(look, [...strays.keys()]);
  return [
    ...[...strays].flatMap(([id, count]) => strayDifferences(id, count, unseen.get(id))),
    ...[...threads.values()].flatMap((one) => [
      ...stateDifference(one),
      ...deletedDifferences(one, unseen.get(one.thread._id)),
      ...erasedDifferences(look, one, unseen.get(one.thread._id)),
    ]),
  ];
};

function stateDifference({ thread, state }: ExpectedThread): Difference[] {
  const { channelId, serverId, mark } = thread;
  if (state === 'orphan') {
    const detail = `Channel ${channelId} or server ${serverId} is not recorded`;
    return [differenceOf(thread, 'record.orphan', detail)];
  }
  if (state === 'quarantined') {
    return [differenceOf(thread, 'thread.quarantined', 'See /admin/quarantine')];
  }
  if (state === 'waiting' && mark) {
    const waiting = differenceOf(thread, 'thread.waiting', `Marked ${mark.at.toISOString()}`);
    return [{ ...waiting, basis: basisOf(mark) }];
  }
  if (state === 'broken') return [differenceOf(thread, 'thread.wrong', 'It cannot be built')];
  return [];
}

/** The parts of a thread that readers never see. */
interface Unseen {
  /** Erased people who are in a message from which no view is built -> that message. */
  traces: Map<string, string>;
  /** How many deleted messages still have text. */
  kept: number;
  /** How many messages of a deleted thread are not deleted themselves. */
  left: number;
}

/**
 * Looks at messages from which no view is built. These are deleted messages, notices (of pins and renames, for
 * example), and all messages of threads that are not shown or not recorded (`strays`). Messages are read completely
 * only if somebody was erased.
 */
async function unseenMessages(
  { deps, window, threads, traces }: ThreadLook,
  strays: readonly string[],
): Promise<Map<string, Unseen>> {
  const { messages } = deps.collections;
  const byThread = new Map<string, Unseen>();
  const of = (id: string): Unseen => {
    const known = byThread.get(id) ?? { traces: new Map(), kept: 0, left: 0 };
    byThread.set(id, known);
    return known;
  };
  const threadId = within(window);
  const fields = { projection: { threadId: 1 } } as const;
  const kept = messages.find({ threadId, deleted: true, ...HAS_WORDS }, fields);
  for await (const message of kept) of(message.threadId).kept += 1;
  const alive = { deleted: { $ne: true } };
  const unshown = [...threads.values()].filter(({ state }) => state !== 'shown');
  const unread = [...strays, ...unshown.map(({ thread }) => thread._id)];
  const notFolded = { $or: [{ threadId, counted: false }, { threadId: { $in: unread } }] };
  for await (const message of traces.isEmpty ? [] : messages.find({ ...notFolded, ...alive })) {
    for (const userId of traces.inMessage(message))
      of(message.threadId).traces.set(userId, message._id);
  }
  const gone = [...threads.values()].filter(({ thread }) => thread.deleted);
  const ofGone = { threadId: { $in: gone.map(({ thread }) => thread._id) } };
  const left = messages.find({ ...ofGone, ...alive }, fields);
  for await (const message of left) of(message.threadId).left += 1;
  return byThread;
}

function deletedDifferences({ thread }: ExpectedThread, unseen: Unseen | undefined): Difference[] {
  const { left = 0, kept = 0 } = unseen ?? {};
  const found: Difference[] = [];
  if (kept > 0) {
    const detail = `${kept} deleted messages have words`;
    found.push(differenceOf(thread, 'deleted.kept', detail, { messagesOnly: true }));
  }
  if (left > 0) {
    found.push(differenceOf(thread, 'deleted.kept', `${left} messages have words`));
  } else if (thread.deleted && thread.title !== '') {
    found.push(differenceOf(thread, 'deleted.kept', 'Its title is left'));
  } else if (!thread.deleted && thread.isPlaceDeleted) {
    found.push(differenceOf(thread, 'deleted.kept', 'Its channel or server was deleted'));
  }
  return found;
}

function erasedDifferences(
  { traces: { inText } }: ThreadLook,
  { thread, traces }: ExpectedThread,
  unseen: Unseen | undefined,
): Difference[] {
  const named = inText(`${thread.title} ${thread.ownerId ?? ''}`);
  const inMessages = new Map([...traces, ...(unseen?.traces ?? [])]);
  return [...new Set([...inMessages.keys(), ...named])].map((userId) => {
    const messageId = inMessages.get(userId);
    const detail = messageId === undefined ? `Of user ${userId}` : `In message ${messageId}`;
    return differenceOf(thread, 'erased.kept', detail, { userId });
  });
}

/** Counts the messages whose thread is not recorded, for each such thread. */
async function strayMessages({ deps, window, threads }: ThreadLook): Promise<Map<string, number>> {
  const groups = deps.collections.messages.aggregate<{ _id: string; count: number }>(
    [
      { $match: { threadId: within(window) } },
      { $group: { _id: '$threadId', count: { $sum: 1 } } },
    ],
    { hint: 'thread_order' },
  );
  const found = new Map<string, number>();
  for await (const { _id, count } of groups) if (!threads.has(_id)) found.set(_id, count);
  return found;
}

function strayDifferences(id: string, count: number, unseen: Unseen | undefined): Difference[] {
  const traces = [...(unseen?.traces ?? [])];
  return [
    { kind: 'record.orphan', id, detail: `${count} messages without a thread`, basis: '' },
    ...traces.map(([userId, messageId]): Difference => {
      const detail = `In message ${messageId}`;
      return { kind: 'erased.kept', id, detail, basis: '', clue: { userId } };
    }),
  ];
}
