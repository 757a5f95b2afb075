import { ChannelType, MessageFlags, MessageType } from 'discord-api-types/v10';
import type { Channel, Thread } from './entities.js';
import { addMessage } from './messageOperations.js';
import type { NewThread, ThreadOperations, ThreadValues } from './operations.js';
import { microsOf, need, type State } from './state.js';

/** The operations on threads. */
export function threadOperations(state: State): ThreadOperations {
  return {
    createThread(parentId, values) {
      const parent = need(state.channels, parentId, 'channel');
      const isPost = isForum(parent);
      const { starter: first = { content: 'The first message' }, at, ownerId } = values;
      const dated = at === undefined ? {} : { at };
      // A thread of a text channel has the id of the message from which it was started.
      const origin = isPost
        ? null
        : addMessage(state, parentId, {
            ...first,
            authorId: ownerId,
            flags: MessageFlags.HasThread,
            ...dated,
          });
      const thread = newThread(state, parent, values, origin?.id);
      state.threads.set(thread.id, thread);
      state.messages.set(thread.id, { ordered: [], byId: new Map() });
      const starter = isPost
        ? addMessage(state, thread.id, { ...first, ...dated, authorId: ownerId, id: thread.id })
        : null;
      if (isPost) parent.lastMessageId = thread.id;
      else if (origin) state.emit({ kind: 'messageCreated', message: origin });
      state.emit({ kind: 'threadCreated', thread, starter });
      if (origin) {
        const message = addMessage(state, thread.id, {
          type: MessageType.ThreadStarterMessage,
          authorId: ownerId,
          reference: {
            type: 0,
            channelId: parentId,
            guildId: parent.guildId,
            messageId: origin.id,
          },
          ...(at === undefined ? {} : { at: at + 1 }),
        });
        state.emit({ kind: 'messageCreated', message });
      }
      return thread;
    },

    updateThread(threadId, values) {
      const thread = need(state.threads, threadId, 'thread');
      const isRenamed = values.name !== undefined && values.name !== thread.name;
      applyThread(state, thread, values);
      state.emit({ kind: 'threadUpdated', thread });
      if (isRenamed && !thread.isArchived) {
        const line = { type: MessageType.ChannelNameChange, content: thread.name };
        const message = addMessage(state, threadId, { ...line, authorId: thread.ownerId });
        state.emit({ kind: 'messageCreated', message });
      }
      return thread;
    },

    deleteThread(threadId) {
      const thread = need(state.threads, threadId, 'thread');
      state.threads.delete(threadId);
      state.messages.delete(threadId);
      state.emit({ kind: 'threadDeleted', thread });
    },
  };
}

/** Whether posts go into a channel of this type. */
export function isForum({ type }: Channel): boolean {
  return type === ChannelType.GuildForum || type === ChannelType.GuildMedia;
}

/** Applies a change to a thread, with what the platform does as a consequence. */
export function applyThread(state: State, thread: Thread, values: ThreadValues): void {
  const { isArchived = thread.isArchived, autoArchiveMinutes = thread.autoArchiveMinutes } = values;
  state.clock.advance(1);
  const archiveMicros =
    isArchived !== thread.isArchived || autoArchiveMinutes !== thread.autoArchiveMinutes
      ? microsOf(state.clock.now())
      : thread.archiveMicros;
  Object.assign(thread, { archiveMicros }, values);
  if (thread.isArchived) thread.isPinned = false;
}

function newThread(
  state: State,
  parent: Channel,
  { at, starter: _starter, ...values }: NewThread,
  id = state.newId(at),
): Thread {
  return {
    id,
    guildId: parent.guildId,
    parentId: parent.id,
    name: 'A question',
    isArchived: false,
    isLocked: false,
    isPinned: false,
    autoArchiveMinutes: 4320,
    archiveMicros: microsOf(at ?? state.clock.now()),
    appliedTagIds: [],
    slowModeSeconds: 0,
    messageCount: 0,
    totalMessagesSent: 0,
    lastMessageId: null,
    lastPinAt: null,
    ...values,
  };
}
