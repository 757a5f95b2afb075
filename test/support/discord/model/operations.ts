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

/** Operations that make something may place it in the past: milliseconds since the epoch (default the clock's). */
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
  /** The attachments that stay (default all). */
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
  /** The account's name and avatar go; its messages stay. */
  deleteAccount(userId: string): void;
  /** A guild that the bot is in, with the role of everybody and the bot's own. */
  createGuild(values?: Partial<Pick<Guild, 'name' | 'icon' | 'nsfwLevel'>> & Dated): Guild;
  updateGuild(guildId: string, values: Partial<Pick<Guild, 'name' | 'icon' | 'nsfwLevel'>>): Guild;
  /** The bot is removed from the guild, or the guild is deleted. */
  deleteGuild(guildId: string): void;
  /** An outage of one guild: it is listed as unavailable, and its routes fail. */
  setUnavailable(guildId: string, isUnavailable: boolean): void;
  createRole(guildId: string, values?: NewRole): Role;
  updateRole(guildId: string, roleId: string, values: Partial<Omit<Role, 'id'>>): Role;
  /** The role goes from members and overwrites, too, of which no event tells. */
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
  /** The threads of the channel go with it, of which no event tells. */
  deleteChannel(channelId: string): void;
  /** Sets an overwrite of a channel, or removes it where it neither allows nor denies anything. */
  setOverwrite(channelId: string, overwrite: Overwrite): Channel;
  createTag(channelId: string, values: NewTag): Tag;
  /** Threads keep the id of a deleted tag. */
  deleteTag(channelId: string, tagId: string): void;
}

/** Operations on threads. */
export interface ThreadOperations {
  /** A forum post with its starter, or a thread of a text channel, started from a message of that channel. */
  createThread(parentId: string, values: NewThread): Thread;
  /** A new name also posts a system line. */
  updateThread(threadId: string, values: ThreadValues): Thread;
  /** Its messages go with it, of which no event tells. */
  deleteThread(threadId: string): void;
}

/** Operations on messages. */
export interface MessageOperations {
  /** Posts into a thread or text channel. An archived thread that is not locked becomes active. */
  post(channelId: string, values: NewMessage & { authorId: string }): Message;
  /** Forwards a message as it is now. */
  forward(message: Message, channelId: string, authorId: string, values?: Dated): Message;
  /** Somebody's edit. */
  edit(channelId: string, messageId: string, values: EditValues, options?: Dated): Message;
  /** Embeds of links that were resolved later: no edit of anybody's. */
  resolveEmbeds(channelId: string, messageId: string, embeds: Message['embeds']): Message;
  deleteMessage(channelId: string, messageId: string): void;
  deleteMessages(channelId: string, messageIds: readonly string[]): void;
  /** Pins, which also posts a system line, or unpins. */
  setPinned(channelId: string, messageId: string, isPinned: boolean): void;
  react(channelId: string, messageId: string, userId: string, emoji: Emoji): void;
  unreact(channelId: string, messageId: string, userId: string, emoji: Emoji): void;
  /** Removes all reactions of a message, or those of one emoji. */
  clearReactions(channelId: string, messageId: string, emoji?: Emoji): void;
  vote(channelId: string, messageId: string, userId: string, answerId: number): void;
  /** Ends a poll and posts its result. */
  endPoll(channelId: string, messageId: string): Message;
  /** A message that one member alone sees: told by the gateway, never part of the history. */
  postEphemeral(channelId: string, values: NewMessage & { authorId: string }): Message;
}
