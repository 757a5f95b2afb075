import type { Filter, FindCursor } from 'mongodb';
import type { Collections } from './collections.js';
import type { MessageRecord, SourceMessage } from './records.js';
import type { UnshownPeople } from './unshownPeople.js';

/** A message that forwards another. */
export interface Forward {
  _id: string;
  /** The forwarded message, and the thread that the forward says it is in. */
  originalId: string;
  threadId: string | null;
}

type Records = Pick<Collections, 'messages' | 'threads' | 'channels' | 'servers'>;

/** Ids of messages that forward what may not be shown. */
export interface UnshownForwards {
  /** None of these may show what they forward. */
  hidden: ReadonlySet<string>;
  /**
   * Those of `hidden` that forward something that was deleted or erased here. It is taken out of their records, too.
   */
  gone: ReadonlySet<string>;
}

/** The copy of a forward of which no source told the copy. */
export const UNTOLD_COPY: NonNullable<MessageRecord['forwarded']> = {
  content: '',
  createdAt: null,
  editedAt: null,
  attachments: [],
  embeds: [],
  stickers: [],
  untold: true,
};

/** The longest chain of forwarded copies that is shown. Each link of it costs a read of its original. */
const MOST_COPIES = 5;
/** The fields that tell whether a message forwards another, and which. */
const ORIGINAL = { reference: 1, 'forwarded.createdAt': 1 } as const;

const NONE: UnshownForwards = { hidden: new Set(), gone: new Set() };

/**
 * Picks the messages that forward another message and name it. A message of an export may hold a forwarded message
 * without its id. Then nobody can tell which message that is, so it is left out here, and is shown.
 */
export function forwardsOf(
  messages: readonly Pick<SourceMessage, '_id' | 'forwarded' | 'reference'>[],
): Forward[] {
  return messages.flatMap(({ _id, forwarded, reference }) =>
    forwarded && reference?.messageId
      ? [{ _id, originalId: reference.messageId, threadId: reference.channelId }]
      : [],
  );
}

/** A message and the copy that it forwards: everything whose texts, files and embeds readers see in it. */
export function saidIn(
  message: MessageRecord,
): (MessageRecord | NonNullable<MessageRecord['forwarded']>)[] {
  return message.forwarded ? [message, message.forwarded] : [message];
}

/** The fields of a forwarding message that tell what it forwards. */
export type ForwardingMessage = Pick<MessageRecord, '_id' | 'threadId' | 'forwarded' | 'reference'>;

/** Finds messages that forward others, narrowed by `which`. Of the copy that they forward, only its time is read. */
export function findForwards(
  { messages }: Pick<Collections, 'messages'>,
  which: Filter<MessageRecord>,
): FindCursor<ForwardingMessage> {
  return messages
    .find({
      ...which,
      'forwarded.content': { $exists: true },
      counted: true,
      deleted: { $ne: true },
    })
    .project<ForwardingMessage>({ ...ORIGINAL, threadId: 1 });
}

/**
 * Tells which of some forwards may not be shown. A forward names the thread of its original, and is judged by that
 * thread alone, since it is looked for by that thread when something changes there:
 * - It names no thread: it is hidden, as it would never be looked for.
 * - This archive does not hold the thread: it is shown. Its original was said elsewhere.
 * - This archive holds the thread: it is shown while its original may be read there. The original is recorded in that
 *   thread (before that nobody knows who wrote it). Neither it nor its thread, forum or server is deleted. The forum is
 *   not withheld. Its author was not erased, and is not left out. Where it forwards another itself, that is shown, too.
 */
export async function unshownForwards(
  records: Records,
  people: Pick<UnshownPeople, 'has'>,
  forwards: readonly Forward[],
  most = MOST_COPIES,
): Promise<UnshownForwards> {
  if (forwards.length === 0) return NONE;
  if (most === 0) return { hidden: new Set(forwards.map(({ _id }) => _id)), gone: new Set() };
  const { messages, threads, channels, servers } = records;
  const said = await messages
    .find({ _id: { $in: forwards.map(({ originalId }) => originalId) } })
    .project<Original>({ ...ORIGINAL, 'author.id': 1, threadId: 1, deleted: 1 })
    .toArray();
  const originals = new Map(said.map((original) => [original._id, original]));
  const copies = await unshownForwards(records, people, forwardsOf(said), most - 1);
  const held = await threads
    .find({ _id: { $in: forwards.flatMap(({ threadId }) => threadId ?? []) } })
    .project<Place>({ serverId: 1, channelId: 1, deleted: 1 })
    .toArray();
  const places = new Map(held.map((place) => [place._id, place]));
  const [unshownChannels, goneServers] = await Promise.all([
    channels.distinct('_id', {
      _id: { $in: held.map(({ channelId }) => channelId) },
      $or: [{ withheldAt: { $exists: true } }, { deleted: true }],
    }),
    servers.distinct('_id', {
      _id: { $in: held.map(({ serverId }) => serverId) },
      deleted: true,
    }),
  ]);
  const unshown = new Set<string>([...unshownChannels, ...goneServers]);
  const isShown = ({ originalId, threadId }: Forward): boolean => {
    if (threadId === null) return false;
    const place = places.get(threadId);
    if (!place) return true;
    if (place.deleted || unshown.has(place.channelId) || unshown.has(place.serverId)) return false;
    const original = originals.get(originalId);
    if (original?.threadId !== threadId || isGone(original)) return false;
    if (copies.hidden.has(originalId)) return false;
    return !people.has(place.serverId, original.author.id);
  };
  const hidden = forwards.filter((forward) => !isShown(forward));
  const gone = hidden.filter(({ originalId }) => isGone(originals.get(originalId)));
  const idsOf = (some: readonly Forward[]) => new Set(some.map(({ _id }) => _id));
  return { hidden: idsOf(hidden), gone: idsOf(gone) };
}

/**
 * Whether nothing is left of an original. It was deleted or erased. Or it is a forward itself, and its copy was emptied
 * when its own original was deleted or erased.
 */
export function isGone(
  original: Pick<MessageRecord, 'deleted' | 'reference' | 'forwarded'> | null | undefined,
): boolean {
  if (!original) return false;
  const { deleted = false, reference, forwarded } = original;
  return deleted || (reference?.type === 'forward' && !forwarded);
}

type Original = ForwardingMessage & Pick<MessageRecord, 'deleted'> & { author: { id: string } };

interface Place {
  _id: string;
  serverId: string;
  channelId: string;
  deleted?: boolean;
}
