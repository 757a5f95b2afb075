import { snowflakeTime } from '../../shared/exportFormat/snowflake.js';
import { idKey, timeKey } from '../../shared/store/listKeys.js';
import type {
  AuthorSnapshot,
  ChannelRecord,
  EmbedRecord,
  MessageRecord,
  ServerRecord,
  SourceMessage,
  SourceThread,
  ThreadRecord,
} from '../../shared/store/records.js';

const EPOCH_MS = 1_420_070_400_000;
let sequence = 0;

/**
 * A new snowflake for a time. Without one, it starts at 2026-01-01T00:00:00Z, and is one second later with each call.
 */
export function anId(at?: string): string {
  sequence += 1;
  const ms = at === undefined ? Date.UTC(2026, 0, 1) + sequence * 1000 : Date.parse(at);
  return String((BigInt(ms - EPOCH_MS) << 22n) | BigInt(sequence % 4096));
}

/** A person. `name` is the account name, and with a capital letter the display name. */
export function anAuthor(name = 'ada', more: Partial<AuthorSnapshot> = {}): AuthorSnapshot {
  const id = String(
    100_000_000_000_000_000n +
      BigInt(Array.from(name).reduce((sum, sign) => sum * 31 + sign.charCodeAt(0), 7) % 1e9),
  );
  return {
    id,
    username: name,
    displayName: name.charAt(0).toUpperCase() + name.slice(1),
    discriminator: null,
    avatar: 'https://cdn.discordapp.com/embed/avatars/0.png',
    isBot: false,
    ...more,
  };
}

export function aServer(more: Partial<ServerRecord> = {}): ServerRecord {
  return { _id: anId(), name: 'Server', stamps: {}, ...more };
}

export function aChannel(more: Partial<ChannelRecord> = {}): ChannelRecord {
  return {
    _id: anId(),
    serverId: anId(),
    name: 'help',
    stamps: {},
    ...more,
  };
}

export function aThread(more: Partial<ThreadRecord> = {}): ThreadRecord {
  return {
    _id: anId(),
    serverId: anId(),
    channelId: anId(),
    title: 'How do I start?',
    stamps: {},
    asOf: 1,
    ...more,
  };
}

/** A message of a source, by Ada. */
export function aSourceMessage(more: Partial<SourceMessage> = {}): SourceMessage {
  const _id = more._id ?? anId();
  return {
    _id,
    threadId: anId(),
    type: 0,
    counted: true,
    author: anAuthor(),
    content: 'Hello',
    createdAt: new Date(snowflakeTime(_id)),
    editedAt: null,
    pinned: false,
    attachments: [],
    embeds: [],
    stickers: [],
    reactions: [],
    mentions: [],
    reference: null,
    forwarded: null,
    interaction: null,
    asOf: 1,
    ...more,
  };
}

/** An embed of a message, without texts. */
export function anEmbed(more: Partial<EmbedRecord> = {}): EmbedRecord {
  return {
    type: 'rich',
    title: null,
    description: null,
    url: null,
    timestamp: null,
    color: null,
    author: null,
    footer: null,
    thumbnail: null,
    images: [],
    video: null,
    fields: [],
    ...more,
  };
}

/** A message that forwards another one. */
export function aForward(
  original: Pick<SourceMessage, '_id' | 'threadId' | 'content'>,
  more: Partial<SourceMessage> = {},
): SourceMessage {
  const { _id: messageId, threadId: channelId, content } = original;
  return aSourceMessage({
    content: '',
    reference: { type: 'forward', messageId, channelId, guildId: null },
    forwarded: aForwardedCopy({ content }),
    ...more,
  });
}

/** The copy that a forward holds of another message. */
export function aForwardedCopy(
  more: Partial<NonNullable<MessageRecord['forwarded']>> = {},
): NonNullable<MessageRecord['forwarded']> {
  return {
    content: '',
    createdAt: null,
    editedAt: null,
    attachments: [],
    embeds: [],
    stickers: [],
    ...more,
  };
}

/** A recorded message, by Ada. */
export function aMessage(more: Partial<MessageRecord> = {}): MessageRecord {
  const source = aSourceMessage(more);
  return { order: timeKey(source.createdAt) + idKey(source._id), ...source };
}

/** What a source tells of a thread, its forum and its server. */
export function aSourceThread(
  more: {
    asOf?: number;
    server?: Partial<SourceThread['server']>;
    channel?: Partial<SourceThread['channel']>;
    thread?: Partial<NonNullable<SourceThread['thread']>>;
  } = {},
): SourceThread & { thread: NonNullable<SourceThread['thread']> } {
  const serverId = more.server?._id ?? anId();
  const channelId = more.channel?._id ?? anId();
  return {
    asOf: more.asOf ?? 1_000,
    server: { _id: serverId, name: 'Server', ...more.server },
    channel: { _id: channelId, serverId, name: 'help', ...more.channel },
    thread: { _id: anId(), serverId, channelId, title: 'How do I start?', ...more.thread },
  };
}
