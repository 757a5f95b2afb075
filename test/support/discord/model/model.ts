import type { Change } from './changes.js';
import type { Channel, Guild, Message, Thread, User } from './entities.js';
import type {
  ChannelOperations,
  GuildOperations,
  MessageOperations,
  ThreadOperations,
} from './operations.js';

/** The clock of the model. Each operation moves it on. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Moves the clock on by some milliseconds. */
  advance(ms: number): void;
  /** Moves the clock on to a time. It never goes back. */
  advanceTo(ms: number): void;
}

/** A thread that everybody may read, with everything in it. */
export interface PublicThread {
  guild: Guild;
  channel: Channel;
  thread: Thread;
  /** Oldest first. */
  messages: readonly Message[];
}

/** Guilds, channels, threads and messages as the platform knows them. Operations change them, and tell listeners. */
export interface DiscordModel
  extends GuildOperations, ChannelOperations, ThreadOperations, MessageOperations {
  clock: Clock;
  /** The account of the bot. */
  bot: User;
  users: ReadonlyMap<string, User>;
  guilds: ReadonlyMap<string, Guild>;
  channels: ReadonlyMap<string, Channel>;
  threads: ReadonlyMap<string, Thread>;
  /** The messages of a thread or text channel, oldest first. */
  messagesOf(channelId: string): readonly Message[];
  findMessage(channelId: string, messageId: string): Message | undefined;
  /** The permissions of a user in a channel or thread. */
  permissionsOf(userId: string, channelId: string): bigint;
  /** Whether everybody may see a channel or thread, and read its history. */
  isPublic(channelId: string): boolean;
  /** All public forums that are neither for adults nor for spoilers. */
  publicForums(): Channel[];
  /** All forum posts in public channels that are neither for adults nor for spoilers. */
  publicThreads(): PublicThread[];
  /** Calls a listener after each change, before the operation returns. Returns a function that ends this. */
  onChange(listener: (change: Change) => void): () => void;
}
