import type { Change } from './changes.js';
import type { Channel, Guild, Message, Thread, User } from './entities.js';
import type {
  ChannelOperations,
  GuildOperations,
  MessageOperations,
  ThreadOperations,
} from './operations.js';

/** The model's own clock. Each operation moves it on. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Moves it on by some milliseconds. */
  advance(ms: number): void;
  /** Moves it on to a time; it never goes back. */
  advanceTo(ms: number): void;
}

/** A thread that everybody may read, with all that it holds. */
export interface PublicThread {
  guild: Guild;
  channel: Channel;
  thread: Thread;
  /** Oldest first. */
  messages: readonly Message[];
}

/** Guilds, channels, threads and messages as the platform knows them. Operations change them and tell listeners. */
export interface DiscordModel
  extends GuildOperations, ChannelOperations, ThreadOperations, MessageOperations {
  clock: Clock;
  /** The bot's own account. */
  bot: User;
  users: ReadonlyMap<string, User>;
  guilds: ReadonlyMap<string, Guild>;
  channels: ReadonlyMap<string, Channel>;
  threads: ReadonlyMap<string, Thread>;
  /** Messages of a thread or text channel, oldest first. */
  messagesOf(channelId: string): readonly Message[];
  findMessage(channelId: string, messageId: string): Message | undefined;
  /** What somebody may do in a channel or thread. */
  permissionsOf(userId: string, channelId: string): bigint;
  /** Whether the role of everybody may see a channel or thread and read its history. */
  isPublic(channelId: string): boolean;
  /** All forum posts of public channels that are neither for adults nor spoilers. */
  publicThreads(): PublicThread[];
  /** Calls a listener after each change, before the operation returns; gives a function that ends it. */
  onChange(listener: (change: Change) => void): () => void;
}
