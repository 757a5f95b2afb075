import { findGathered } from '../../../shared/store/gather.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { MessageRecord, ThreadRecord } from '../../../shared/store/records.js';
import { applyErasures } from '../../../shared/store/applyErasures.js';
import { earliestAuthorId } from '../../../shared/store/earliestAuthorId.js';
import { eraseFields, eraseThread } from '../../../shared/store/eraseThread.js';
import { ERASED_ID } from '../../../shared/store/redacted.js';
import type { UnshownPeople } from '../../../shared/store/unshownPeople.js';
import type { ThreadModel } from '../views/threadModel.js';
import { countedMessages, threadMessages } from './threadMessages.js';

type Records = Pick<Collections, 'threads' | 'channels' | 'messages'>;

/**
 * What a thread's views are built from. `messages` gives the thread's messages as they are recorded, in order, and can
 * be read once only.
 */
export interface LoadedThread {
  model: ThreadModel;
  messages: AsyncIterable<MessageRecord>;
}

/**
 * Loads a thread. Null when nothing of it may be shown: it was deleted, its channel is deleted, withheld or not
 * recorded, or only people who must not be shown have said anything in it.
 */
export async function loadThread(
  records: Records,
  recorded: ThreadRecord,
  unshown: UnshownPeople,
  settings: Pick<ThreadModel, 'resolvedTags' | 'links' | 'version'>,
): Promise<LoadedThread | null> {
  if (recorded.deleted) return null;
  const { erased } = unshown;
  const isUnshown = (userId: string): boolean => unshown.has(recorded.serverId, userId);
  const [opening, channel] = await Promise.all([
    readOpening(records, recorded, unshown),
    findGathered(records.channels, recorded.channelId),
  ]);
  if (!opening || !channel || channel.deleted || channel.withheldAt) return null;
  const { first, messages } = opening;
  const starter = first._id === recorded._id ? first : await findStarter(records, recorded._id);
  const isStarterUnshown = starter !== null && isUnshown(starter.author.id);
  const ownerId =
    recorded.ownerId ?? (starter ? undefined : await earliestAuthorId(records, recorded._id));
  const isOwnerUnshown = isStarterUnshown || ownerId === ERASED_ID || isUnshown(ownerId ?? '');
  const thread = eraseThread(
    isOwnerUnshown ? { ...recorded, ownerId: ERASED_ID } : recorded,
    erased,
  );
  const starting =
    starter && !isStarterUnshown
      ? applyErasures(starter, erased)
      : await startWithoutStarter(records, thread, first);
  return {
    model: { thread, channel: eraseFields(channel, erased), first, starting, ...settings },
    messages,
  };
}

/** How a thread begins. */
interface Opening {
  /** The first message that may be shown. */
  first: MessageRecord;
  /** All messages, as they are recorded. */
  messages: AsyncIterable<MessageRecord>;
}

/**
 * Reads a thread up to the first message that may be shown. Gives null when there is none. Any number of messages that
 * may not be shown can stand before it. They are not held in memory. So where there are some, the thread's messages are
 * read again from the first on.
 */
async function readOpening(
  records: Records,
  { _id: threadId, serverId }: ThreadRecord,
  { erased, left }: UnshownPeople,
): Promise<Opening | null> {
  let isFirst = true;
  const rest = threadMessages(records, threadId);
  for (;;) {
    const { value: message } = await rest.next();
    if (!message) return null;
    const first = applyErasures(message, erased);
    if (!first.deleted && !left.has(serverId, first.author.id)) {
      if (isFirst) return { first, messages: startingWith(message, rest) };
      await rest.return(undefined);
      return { first, messages: threadMessages(records, threadId) };
    }
    isFirst = false;
  }
}

/**
 * The thread's starter message, whether it may be shown or not. It need not be the first one, because messages are in
 * the order of their times. Null where it is not recorded, or was deleted.
 */
async function findStarter({ messages }: Records, threadId: string): Promise<MessageRecord | null> {
  const starter = await findGathered(messages, threadId);
  return starter?.threadId === threadId && starter.counted && !starter.deleted ? starter : null;
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}

/**
 * The message that counts as starting a thread whose starter message is not shown: the first of the owner, or null
 * where there is none. Where no owner is known, it is `first`.
 */
async function startWithoutStarter(
  records: Records,
  { _id, ownerId }: ThreadRecord,
  first: MessageRecord,
): Promise<MessageRecord | null> {
  if (!ownerId) return first;
  if (ownerId === ERASED_ID) return null;
  return countedMessages(records, _id, { 'author.id': ownerId }).limit(1).next();
}
