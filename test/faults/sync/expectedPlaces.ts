import type { DiscordModel, PublicThread } from '../../support/discord/model/model.js';
import type { Removed } from './operator.js';

/** What the archive should show of the platform. */
export interface Expected {
  /** The public threads, without what the operator has removed. */
  places: PublicThread[];
  /** Those of them in which nobody but erased people has written. They are not to be shown. */
  emptied: ReadonlySet<string>;
  /** Threads that may be deleted in the archive, because an erasure found nothing in them by anybody else. */
  mayBeGone: ReadonlySet<string>;
  /** Threads without the title that somebody gave them who was erased. */
  mayLackTitle: ReadonlySet<string>;
}

/** Judges what the archive should show, after some removals. */
export function expectedPlaces(
  model: DiscordModel,
  removed: Removed,
  touched: ReadonlyMap<string, ReadonlySet<string>>,
): Expected {
  const { erasures, userIds } = removed;
  const isErased = (id: string): boolean => userIds.has(id);
  const emptied = new Set<string>();
  const mayBeGone = new Set<string>();
  const mayLackTitle = new Set<string>();
  const places = model.publicThreads().flatMap((place) => {
    const { guild, channel, thread } = place;
    const isRemoved =
      removed.server.has(guild.id) ||
      removed.channel.has(channel.id) ||
      removed.thread.has(thread.id);
    if (isRemoved) return [];
    const messages = place.messages.filter(
      ({ id, authorId, webhook }) => !removed.message.has(id) && (webhook || !isErased(authorId)),
    );
    const byErased = [...(touched.get(thread.id) ?? [])].filter(isErased);
    if (byErased.length > 0) {
      const wasEmptyAt = ({ recorded }: Removed['erasures'][number]): boolean =>
        !messages.some(({ id }) => recorded.has(id));
      if (erasures.some(wasEmptyAt)) mayBeGone.add(thread.id);
      if (isErased(thread.ownerId)) mayLackTitle.add(thread.id);
      if (messages.length === 0) emptied.add(thread.id);
    }
    return [{ ...place, messages }];
  });
  return { places, emptied, mayBeGone, mayLackTitle };
}

/** Notes who has written in each thread, or started it. */
export function writersOf(model: DiscordModel): ReadonlyMap<string, ReadonlySet<string>> {
  const writers = new Map<string, Set<string>>();
  const add = (threadId: string, userId: string): void => {
    writers.set(threadId, (writers.get(threadId) ?? new Set()).add(userId));
  };
  for (const { id, ownerId } of model.threads.values()) {
    add(id, ownerId);
    for (const { authorId } of model.messagesOf(id)) add(id, authorId);
  }
  model.onChange((change) => {
    if (change.kind === 'threadCreated') add(change.thread.id, change.thread.ownerId);
    if (change.kind === 'messageCreated') add(change.message.channelId, change.message.authorId);
  });
  return writers;
}
