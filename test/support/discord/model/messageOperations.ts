import { EmbedType, MessageFlags, MessageReferenceType, MessageType } from 'discord-api-types/v10';
import type { Attachment, Emoji, Message, Poll, Snapshot } from './entities.js';
import type { MessageOperations, NewAttachment, NewMessage } from './operations.js';
import { insertMessage, microsOf, need, needMessage, type State } from './state.js';

type AnyMessage = NewMessage & { authorId: string; id?: string; snapshot?: Snapshot };

/** The operations on messages. */
export function messageOperations(state: State): MessageOperations {
  const update = (message: Message): Message => {
    state.clock.advance(1);
    state.emit({ kind: 'messageUpdated', message });
    return message;
  };
  const post = (channelId: string, values: AnyMessage): Message => {
    awaken(state, channelId);
    const message = addMessage(state, channelId, values);
    state.emit({ kind: 'messageCreated', message });
    return message;
  };
  return {
    post,

    forward(original, channelId, authorId, values = {}) {
      const { id, channelId: from, guildId, type, content, editedMicros, flags } = original;
      const { attachments, embeds, components, stickers } = original;
      return post(channelId, {
        ...values,
        authorId,
        flags: MessageFlags.HasSnapshot,
        reference: {
          type: MessageReferenceType.Forward,
          channelId: from,
          guildId,
          messageId: id,
        },
        snapshot: {
          id,
          channelId: from,
          type,
          content,
          editedMicros,
          flags,
          attachments,
          embeds,
          components,
          stickers,
        },
      });
    },

    edit(channelId, messageId, { attachmentIds, ...values }, { at } = {}) {
      const message = needMessage(state, channelId, messageId);
      if (state.threads.get(channelId)?.isArchived) throw new Error('The thread is archived');
      Object.assign(message, values);
      if (attachmentIds) {
        message.attachments = message.attachments.filter(({ id }) => attachmentIds.includes(id));
      }
      message.editedMicros = microsOf(at ?? state.clock.now() + 1);
      return update(message);
    },

    resolveEmbeds(channelId, messageId, embeds) {
      return update(Object.assign(needMessage(state, channelId, messageId), { embeds }));
    },

    deleteMessage(channelId, messageId) {
      const message = needMessage(state, channelId, messageId);
      removeMessage(state, message);
      state.emit({ kind: 'messageDeleted', message });
    },

    deleteMessages(channelId, messageIds) {
      const messages = messageIds.map((id) => needMessage(state, channelId, id));
      for (const message of messages) removeMessage(state, message);
      const { guildId } = messages[0] ?? { guildId: '' };
      if (guildId)
        state.emit({ kind: 'messagesDeleted', channelId, guildId, ids: [...messageIds] });
    },

    setPinned(channelId, messageId, isPinned) {
      const message = needMessage(state, channelId, messageId);
      const place = state.threads.get(channelId) ?? need(state.channels, channelId, 'channel');
      message.pinnedAt = isPinned ? state.clock.now() : null;
      if (isPinned) place.lastPinAt = message.pinnedAt;
      update(message);
      const { guildId } = message;
      state.emit({ kind: 'pinsChanged', channelId, guildId, lastPinAt: place.lastPinAt });
      if (!isPinned) return;
      post(channelId, {
        type: MessageType.ChannelPinnedMessage,
        authorId: need(state.guilds, guildId, 'guild').ownerId,
        reference: { type: MessageReferenceType.Default, channelId, guildId, messageId },
      });
    },

    react(channelId, messageId, userId, emoji) {
      const message = needMessage(state, channelId, messageId);
      state.clock.advance(1);
      const { userIds } = reactionOf(message, emoji) ?? addReaction(message, emoji);
      if (userIds.has(userId)) return;
      userIds.add(userId);
      state.emit({ kind: 'reactionAdded', message, userId, emoji });
    },

    unreact(channelId, messageId, userId, emoji) {
      const message = needMessage(state, channelId, messageId);
      if (!reactionOf(message, emoji)?.userIds.delete(userId)) return;
      message.reactions = message.reactions.filter(({ userIds }) => userIds.size > 0);
      state.clock.advance(1);
      state.emit({ kind: 'reactionRemoved', message, userId, emoji });
    },

    clearReactions(channelId, messageId, emoji) {
      const message = needMessage(state, channelId, messageId);
      const gone = emoji && reactionOf(message, emoji);
      message.reactions = emoji ? message.reactions.filter((reaction) => reaction !== gone) : [];
      state.clock.advance(1);
      state.emit({ kind: 'reactionsCleared', message, emoji: emoji ?? null });
    },

    vote(channelId, messageId, userId, answerId) {
      const message = needMessage(state, channelId, messageId);
      const poll = needPoll(message);
      poll.answers.find(({ id }) => id === answerId)?.voterIds.add(userId);
      state.clock.advance(1);
      state.emit({ kind: 'voted', message, poll, userId, answerId });
    },

    endPoll(channelId, messageId) {
      const message = needMessage(state, channelId, messageId);
      const poll = needPoll(message);
      poll.isFinal = true;
      poll.endsAt = Math.min(poll.endsAt, state.clock.now());
      update(message);
      return post(channelId, {
        type: MessageType.PollResult,
        authorId: message.authorId,
        embeds: [resultOf(poll)],
        reference: { type: 0, channelId, guildId: message.guildId, messageId },
      });
    },

    postEphemeral(channelId, values) {
      const message = newMessage(state, channelId, { ...values, flags: MessageFlags.Ephemeral });
      state.emit({ kind: 'ephemeral', message });
      return message;
    },
  };
}

/** Adds a message to a thread or channel, and tells no listener. */
export function addMessage(state: State, channelId: string, values: AnyMessage): Message {
  const list = need(state.messages, channelId, 'channel of messages');
  const message = newMessage(state, channelId, values);
  insertMessage(list, message);
  const thread = state.threads.get(channelId);
  const place = thread ?? need(state.channels, channelId, 'channel');
  place.lastMessageId = list.ordered.at(-1)!.id;
  if (thread && message.id !== thread.id) {
    thread.messageCount += 1;
    thread.totalMessagesSent += 1;
  }
  return message;
}

/** A new message makes an archived thread active, unless the thread is locked. */
function awaken(state: State, channelId: string): void {
  const thread = state.threads.get(channelId);
  if (!thread?.isArchived) return;
  if (thread.isLocked) throw new Error(`The thread ${channelId} is locked`);
  state.clock.advance(1);
  Object.assign(thread, { isArchived: false, archiveMicros: microsOf(state.clock.now()) });
  state.emit({ kind: 'threadUpdated', thread });
}

function newMessage(state: State, channelId: string, given: AnyMessage): Message {
  const { at, attachments = [], id = state.newId(at), ...values } = given;
  const { guildId } = state.threads.get(channelId) ?? need(state.channels, channelId, 'channel');
  return {
    id,
    channelId,
    guildId,
    type: MessageType.Default,
    content: '',
    editedMicros: null,
    pinnedAt: null,
    flags: 0,
    mentionIds: [],
    mentionRoleIds: [],
    mentionsEveryone: false,
    embeds: [],
    components: [],
    stickers: [],
    reactions: [],
    ...values,
    attachments: attachments.map((attachment) => newAttachment(state, attachment, at)),
  };
}

function newAttachment(state: State, values: NewAttachment, at?: number): Attachment {
  const defaults = { filename: 'notes.txt', size: 120, contentType: 'text/plain' };
  return { id: state.newId(at), ...defaults, ...values };
}

function removeMessage(state: State, { channelId, id }: Message): void {
  const list = need(state.messages, channelId, 'channel of messages');
  list.byId.delete(id);
  list.ordered = list.ordered.filter((message) => message.id !== id);
  state.clock.advance(1);
  const thread = state.threads.get(channelId);
  if (thread && id !== thread.id) thread.messageCount -= 1;
}

function reactionOf(
  { reactions }: Message,
  { id, name }: Emoji,
): Message['reactions'][0] | undefined {
  return reactions.find(({ emoji }) => emoji.id === id && (id !== null || emoji.name === name));
}

function addReaction(message: Message, emoji: Emoji): Message['reactions'][0] {
  const reaction = { emoji, userIds: new Set<string>() };
  message.reactions.push(reaction);
  return reaction;
}

function needPoll({ id, poll }: Message): Poll {
  if (!poll) throw new Error(`The message ${id} is no poll`);
  return poll;
}

function resultOf({ question, answers }: Poll): Message['embeds'][0] {
  const [best] = [...answers].sort((left, right) => right.voterIds.size - left.voterIds.size);
  const total = answers.reduce((sum, { voterIds }) => sum + voterIds.size, 0);
  const fields = {
    poll_question_text: question,
    victor_answer_text: best?.text ?? '',
    victor_answer_votes: String(best?.voterIds.size ?? 0),
    total_votes: String(total),
  };
  return {
    type: EmbedType.PollResult,
    fields: Object.entries(fields).map(([name, value]) => ({ name, value, inline: false })),
  };
}
