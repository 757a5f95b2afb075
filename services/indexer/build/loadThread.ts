import { askGathered, findGathered } from '../../../shared/store/gather.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { MessageRecord, ThreadRecord } from '../../../shared/store/records.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import { applyErasures } from '../records/applyErasures.js';
import { eraseThread } from '../records/eraseSource.js';
import { ERASED_ID } from '../records/tombstones.js';
import { collectReferences } from '../content/collectReferences.js';
import type { LinkTargets, ThreadModel } from '../views/threadModel.js';
import { countedMessages, threadMessages } from './threadMessages.js';

type Records = Pick<Collections, 'threads' | 'channels' | 'messages'>;

/** What a thread's views are built from, with its messages to be read once, in order, as they are recorded. */
export interface LoadedThread {
  model: ThreadModel;
  messages: AsyncIterable<MessageRecord>;
}

/** Who must not be shown: those who were erased, and those who are left out of the thread's server. */
interface Unshown {
  erased: ErasedPeople;
  isLeftOut: (userId: string) => boolean;
}

/**
 * Loads a thread; null when nothing of it may be shown (deleted, or nothing said in it but by people who must not be
 * shown).
 */
export async function loadThread(
  records: Records,
  recorded: ThreadRecord,
  {
    erased,
    isLeftOut,
    version,
    ...settings
  }: Pick<ThreadModel, 'resolvedTags' | 'links' | 'version'> & Unshown,
): Promise<LoadedThread | null> {
  if (recorded.deleted) return null;
  const messages = threadMessages(records, recorded._id);
  const [opening, channel] = await Promise.all([
    readOpening(messages, { erased, isLeftOut }),
    findGathered(records.channels, recorded.channelId),
  ]);
  const { first, read } = opening;
  if (!first || !channel || channel.deleted || channel.withheldAt) return null;
  const isStarterUnshown =
    read.some(({ _id }) => _id === recorded._id) && first._id !== recorded._id;
  const isOwnerUnshown = isStarterUnshown || isLeftOut(recorded.ownerId ?? '');
  const thread = eraseThread(
    isOwnerUnshown ? { ...recorded, ownerId: ERASED_ID } : recorded,
    erased,
  );
  const ownersMessage = await findOwnersMessage(records, thread, first);
  return {
    model: { thread, version, channel, first, ownersMessage, ...settings },
    messages: startingWith(read, messages),
  };
}

/** Reads messages up to the first that may be shown. */
async function readOpening(
  messages: AsyncIterator<MessageRecord, undefined>,
  { erased, isLeftOut }: Unshown,
): Promise<{ first: MessageRecord | null; read: MessageRecord[] }> {
  const read: MessageRecord[] = [];
  for (;;) {
    const { value: message } = await messages.next();
    if (!message) return { first: null, read };
    read.push(message);
    const clean = applyErasures(message, erased);
    if (!clean.deleted && !isLeftOut(clean.author.id)) return { first: clean, read };
  }
}

async function* startingWith<T>(first: readonly T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first;
  yield* rest;
}

async function findOwnersMessage(
  records: Records,
  thread: ThreadRecord,
  first: MessageRecord,
): Promise<MessageRecord | null> {
  if (first._id === thread._id || !thread.ownerId || thread.ownerId === ERASED_ID) return null;
  return countedMessages(records, thread._id, { 'author.id': thread.ownerId }).limit(1).next();
}

/** Ids of threads and channels that messages refer to. */
function referencedChannels(messages: MessageRecord[]): string[] {
  return [
    ...new Set(
      messages.flatMap(({ content, forwarded }) => [
        ...collectReferences(content).channelIds,
        ...(forwarded ? collectReferences(forwarded.content).channelIds : []),
      ]),
    ),
  ];
}

/**
 * What a thread's messages refer to, the thread itself among it: whether its own list item is stored yet must make no
 * difference.
 */
export async function linkTargets(
  collections: Pick<Collections, 'threadItems' | 'channels'>,
  { _id, title }: Pick<ThreadRecord, '_id' | 'title'>,
  messages: MessageRecord[],
): Promise<{ ids: string[]; targets: LinkTargets }> {
  const ids = referencedChannels(messages);
  const targets = new Map(await loadTargets(collections, ids));
  if (ids.includes(_id)) targets.set(_id, { kind: 'thread', name: title });
  return { ids, targets };
}

type Named = Pick<Collections, 'threadItems' | 'channels'>;

/** Which of some ids are listed threads or channels of this archive, with their names. */
export async function loadTargets(collections: Named, ids: string[]): Promise<LinkTargets> {
  if (ids.length === 0) return new Map();
  const find = (_: unknown, lists: string[][]) => findTargets(collections, lists);
  return askGathered(collections.threadItems, 'link targets', find, ids, ({ length }) => length);
}

async function findTargets(
  { threadItems, channels }: Named,
  lists: string[][],
): Promise<LinkTargets[]> {
  const wanted = { $in: [...new Set(lists.flat())] };
  const [items, named] = await Promise.all([
    threadItems.find({ _id: wanted, item: { $ne: '' } }, { projection: { title: 1 } }).toArray(),
    channels
      .find(
        { _id: wanted, deleted: { $ne: true }, withheldAt: { $exists: false } },
        { projection: { name: 1 } },
      )
      .toArray(),
  ]);
  const targets = new Map<string, { kind: 'thread' | 'channel'; name: string }>();
  for (const { _id, name } of named) targets.set(_id, { kind: 'channel', name });
  for (const { _id, title } of items) targets.set(_id, { kind: 'thread', name: title });
  return lists.map(
    (ids) =>
      new Map(
        ids.flatMap((id) => {
          const target = targets.get(id);
          return target ? [[id, target]] : [];
        }),
      ),
  );
}
