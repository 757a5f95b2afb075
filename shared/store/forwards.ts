import type { Collections } from './collections.js';
import type { OptOuts } from './optOuts.js';
import type { MessageRecord, SourceMessage } from './records.js';

/** What is needed of a message to judge what it forwards. */
export type Forward = Pick<MessageRecord, '_id' | 'forwarded' | 'reference'>;

type Records = Pick<Collections, 'messages' | 'threads' | 'channels'>;

/** Ids of messages that forward what may not be shown. */
export interface UnshownForwards {
  /** Nothing of what they forward is shown. */
  hidden: ReadonlySet<string>;
  /** Those of them that forward what was deleted or erased here: their records are emptied of it, too. */
  gone: ReadonlySet<string>;
}

const NONE: UnshownForwards = { hidden: new Set(), gone: new Set() };

/** The id of the message that a message forwards, in a list; the list is empty where it forwards nothing. */
export function forwardedIds({
  forwarded,
  reference,
}: Pick<SourceMessage, 'forwarded' | 'reference'>): string[] {
  return forwarded && reference?.messageId ? [reference.messageId] : [];
}

/**
 * Judges what some messages forward. A message of a thread that this archive holds is shown by those that forward it
 * only while it may be read itself: it is recorded, it was not deleted or erased, its author is not left out, and its
 * forum is not withheld. Before it is recorded nobody knows who wrote it. What was said elsewhere is shown as it is.
 */
export async function unshownForwards(
  { messages, threads, channels }: Records,
  left: OptOuts,
  forwards: readonly Forward[],
): Promise<UnshownForwards> {
  const copies = forwards.filter((message) => forwardedIds(message).length > 0);
  if (copies.length === 0) return NONE;
  const said = await messages
    .find({ _id: { $in: copies.flatMap(forwardedIds) } })
    .project<Original>({ 'author.id': 1, threadId: 1, deleted: 1 })
    .toArray();
  const originals = new Map(said.map((original) => [original._id, original]));
  const originalOf = ({ reference }: Forward) => originals.get(reference?.messageId ?? '');
  const threadOf = (copy: Forward): string =>
    originalOf(copy)?.threadId ?? copy.reference?.channelId ?? '';
  const held = await threads
    .find({ _id: { $in: copies.map(threadOf) } })
    .project<Place>({ serverId: 1, channelId: 1 })
    .toArray();
  const places = new Map(held.map((place) => [place._id, place]));
  const withheld = new Set(
    await channels.distinct('_id', {
      ...{ _id: { $in: held.map(({ channelId }) => channelId) }, withheldAt: { $exists: true } },
    }),
  );
  const isShown = (copy: Forward): boolean => {
    const place = places.get(threadOf(copy));
    const original = originalOf(copy);
    if (!place) return !original?.deleted;
    if (!original || original.deleted || withheld.has(place.channelId)) return false;
    return !left.has(place.serverId, original.author.id);
  };
  const isGone = (copy: Forward): boolean => originalOf(copy)?.deleted === true;
  return {
    hidden: new Set(copies.filter((copy) => !isShown(copy)).map(({ _id }) => _id)),
    gone: new Set(copies.filter(isGone).map(({ _id }) => _id)),
  };
}

type Original = Pick<MessageRecord, '_id' | 'threadId' | 'deleted'> & { author: { id: string } };

interface Place {
  _id: string;
  serverId: string;
  channelId: string;
}
