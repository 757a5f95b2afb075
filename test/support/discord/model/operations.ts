import type {
  Attachment,
  Channel,
  Emoji,
  Guild,
  Member,
  Message,
  Overwrite,
  Role,
  Tag,
  Thread,
  User,
} from './entities.js';

/** Operations that create something may place it in the past (ms since the epoch; by default, the clock's time). */
export interface Dated {
  at?: number;
}

export type NewUser = Partial<Omit<User, 'id'>> & Dated;
export type NewRole = Partial<Omit<Role, 'id'>> & Dated;
export type NewMember = Partial<Pick<Member, 'nick' | 'roleIds'>> & Dated;
export type ChannelValues = Partial<Omit<Channel, 'id' | 'guildId' | 'type'>>;
export type NewChannel = ChannelValues & Pick<Channel, 'type'> & Dated;
export type NewTag = Partial<Omit<Tag, 'id'>> & Pick<Tag, 'name'>;
export type ThreadValues = Partial<
  Pick<
    Thread,
    | 'name'
    | 'isArchived'
    | 'isLocked'
    | 'isPinned'
    | 'appliedTagIds'
    | 'autoArchiveMinutes'
    | 'slowModeSeconds'
    | 'archiveMicros'
  >
>;
export type NewAttachment = Partial<Omit<Attachment, 'id'>>;
export type MessageValues = Partial<
  Omit<Message, 'id' | 'channelId' | 'guildId' | 'attachments' | 'reactions' | 'snapshot'>
> & { attachments?: NewAttachment[] };
export type NewMessage = MessageValues & Dated;
export type EditValues = Pick<MessageValues, 'content' | 'embeds' | 'components'> & {
  /** The ids of the attachments that stay (by default all). */
  attachmentIds?: string[];
};
export type NewThread = ThreadValues & {
  ownerId: string;
  /** The first message, without its author. */
  starter?: Omit<NewMessage, 'at' | 'authorId'>;
} & Dated;

/** Operations on guilds, their roles and members, and on accounts. */
export interface GuildOperations {
  createUser(values?: NewUser): User;
  updateUser(userId: string, values: Partial<Omit<User, 'id'>>): User;
  /** Removes the account's name and avatar. Its messages stay. */
  deleteAccount(userId: string): void;
  /** Creates a guild that the bot is in, with the role of everybody and the role of the bot. */
  createGuild(values?: Partial<Pick<Guild, 'name' | 'icon' | 'nsfwLevel'>> & Dated): Guild;
  updateGuild(guildId: string, values: Partial<Pick<Guild, 'name' | 'icon' | 'nsfwLevel'>>): Guild;
  /** Removes the bot from the guild for good, or deletes the guild. */
  deleteGuild(guildId: string): void;
  /** Removes the bot from the guild. It hears nothing of it until it is invited again. */
  dismissBot(guildId: string): void;
  inviteBot(guildId: string): void;
  /** Begins or ends an outage of a guild. During it, the guild is listed as unavailable, and its routes fail. */
  setUnavailable(guildId: string, isUnavailable: boolean): void;
  createRole(guildId: string, values?: NewRole): Role;
  updateRole(guildId: string, roleId: string, values: Partial<Omit<Role, 'id'>>): Role;
  /** Deletes a role, also from members and overwrites. No event tells of the latter. */
  deleteRole(guildId: string, roleId: string): void;
  addMember(guildId: string, userId: string, values?: NewMember): Member;
  updateMember(
    guildId: string,
    userId: string,
    values: Partial<Pick<Member, 'nick' | 'roleIds'>>,
  ): Member;
  removeMember(guildId: string, userId: string): void;
}

/** Operations on channels and forums. */
export interface ChannelOperations {
  createChannel(guildId: string, values: NewChannel): Channel;
  updateChannel(channelId: string, values: ChannelValues): Channel;
  /** Deletes a channel together with its threads. No event tells of the threads. */
  deleteChannel(channelId: string): void;
  /** Sets an overwrite of a channel, or removes it where it neither allows nor denies anything. */
  setOverwrite(channelId: string, overwrite: Overwrite): Channel;
  createTag(channelId: string, values: NewTag): Tag;
  /** Deletes a tag. Threads keep its id. */
  deleteTag(channelId: string, tagId: string): void;
}

/** Operations on threads. */
export interface ThreadOperations {
  /** Creates a forum post with its starter, or a thread of a text channel that starts from one of its messages. */
  createThread(parentId: string, values: NewThread): Thread;
  /** Changes a thread. A new name also posts a system message. */
  updateThread(threadId: string, values: ThreadValues): Thread;
  /** Deletes a thread together with its messages. No event tells of the messages. */
  deleteThread(threadId: string): void;
}

/** Operations on messages. */
export interface MessageOperations {
  /** Posts into a thread or text channel. An archived thread that is not locked becomes active. */
  post(channelId: string, values: NewMessage & { authorId: string }): Message;
  /** Forwards a message as it is now. */
  forward(message: Message, channelId: string, authorId: string, values?: Dated): Message;
  /** Edits a message as a person does. */
  edit(channelId: string, messageId: string, values: EditValues, options?: Dated): Message;
  /** Adds embeds of links that were resolved later. This is no edit by a person. */
  resolveEmbeds(channelId: string, messageId: string, embeds: Message['embeds']): Message;
  deleteMessage(channelId: string, messageId: string): void;
  deleteMessages(channelId: string, messageIds: readonly string[]): void;
  /** Pins a message, which also posts a system message, or unpins it. */
  setPinned(channelId: string, messageId: string, isPinned: boolean): void;
  react(channelId: string, messageId: string, userId: string, emoji: Emoji): void;
  unreact(channelId: string, messageId: string, userId: string, emoji: Emoji): void;
  /** Removes all reactions of a message, or those with one emoji. */
  clearReactions(channelId: string, messageId: string, emoji?: Emoji): void;
  vote(channelId: string, messageId: string, userId: string, answerId: number): void;
  /** Ends a poll, and posts its result. */
  endPoll(channelId: string, messageId: string): Message;
  /** Posts a message that only one member sees. The gateway tells it, but the history never holds it. */
  postEphemeral(channelId: string, values: NewMessage & { authorId: string }): Message;
}
