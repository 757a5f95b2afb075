import { idKey, timeKey } from '../../shared/store/listKeys.js';
import type {
  AuthorSnapshot,
  AvailableTag,
  ChannelRecord,
  EmbedRecord,
  MessageRecord,
  ServerRecord,
  ThreadRecord,
} from '../../shared/store/records.js';
import { randomOf, type Random } from '../../test/support/generateRecords.js';
import { textOf, zipf } from './words.js';

/** The most messages of a thread. */
export const LONGEST_THREAD = 500;

/** A generated thread with its messages in order, as the records hold them. */
export interface GeneratedThread {
  thread: ThreadRecord;
  channel: ChannelRecord;
  messages: MessageRecord[];
  /** The titles of the threads that its messages link to, by id. All of them come earlier in the archive. */
  linked: ReadonlyMap<string, string>;
}

/** Servers and channels of every generated archive. */
export interface GeneratedPlaces {
  servers: ServerRecord[];
  channels: ChannelRecord[];
}

const PEOPLE = 20_000;
const PLATFORM_EPOCH_MS = 1_420_070_400_000;
const FIRST_THREAD_MS = Date.UTC(2023, 0, 1);
const THREAD_EVERY_MS = 600_000;
const DAY_MS = 86_400_000;
const AS_OF = 1_780_000_000_000_000;
const SERVER_NAMES = ['Radio Builders', 'Kernel Talk', 'Small Games'] as const;
const CHANNELS_OF_SERVER = [8, 4, 2] as const;
const TAG_NAMES = ['Solved', 'Question', 'Bug', 'Idea', 'Hardware', 'Software'] as const;

/** The places that every generated archive has, whatever its size. */
export function generatePlaces(): GeneratedPlaces {
  const servers = SERVER_NAMES.map((name, n): ServerRecord => ({
    _id: String(200_000_000_000_000_001n + BigInt(n)),
    name,
    icon: null,
    description: `All about ${name}`,
    memberCount: 1_000 * (n + 1),
    stamps: {},
  }));
  const channels = servers.flatMap(({ _id: serverId }, n) =>
    Array.from({ length: CHANNELS_OF_SERVER[n]! }, (_, at) => aForum(serverId, n * 10 + at)),
  );
  return { servers, channels };
}

/**
 * Generates threads with `messages` messages in all, in the order of their creation. Words and authors follow Zipf's
 * law. Lengths are as in forums: many threads have one message, the mean is about 10, and the most is LONGEST_THREAD.
 * The same number gives the same threads. A larger number gives the same threads and more.
 */
export function* generateThreads(messages: number): Generator<GeneratedThread> {
  const random = randomOf(1);
  const { channels } = generatePlaces();
  const draw: Draw = {
    random,
    channels,
    word: zipf(random),
    person: zipf(random, PEOPLE),
    channel: zipf(random, channels.length),
    recent: [],
  };
  for (let left = messages, n = 0; left > 0; n += 1) {
    const made = aThread(draw, n, Math.min(left, threadLength(random)));
    left -= made.messages.length;
    draw.recent[n % 1_000] = { id: made.thread._id, title: made.thread.title };
    yield made;
  }
}

/** The state from which threads are generated. */
interface Draw {
  random: Random;
  channels: ChannelRecord[];
  word: () => number;
  person: () => number;
  channel: () => number;
  /** Some of the threads so far, which later threads link to. */
  recent: { id: string; title: string }[];
}

/** Draws from a Lomax distribution: a quarter of the threads have one message, a hundredth have more than 100. */
function threadLength(random: Random): number {
  const share = (random.below(1_000_000) + 1) / 1_000_000;
  return Math.min(LONGEST_THREAD, Math.max(1, Math.ceil(5 * (share ** (-1 / 1.5) - 1))));
}

function aThread(draw: Draw, n: number, length: number): GeneratedThread {
  const { random } = draw;
  const startedAt = FIRST_THREAD_MS + n * THREAD_EVERY_MS + random.below(THREAD_EVERY_MS);
  const channel = draw.channels[draw.channel() - 1]!;
  // In real forums two to eight people talk in a thread.
  const cast = Array.from({ length: 2 + random.below(7) }, () => aPerson(draw.person() - 1));
  const [archived, locked] = [random.below(3) > 0, random.below(20) === 0];
  const _id = snowflake(startedAt, n);
  const thread: ThreadRecord = {
    _id,
    serverId: channel.serverId,
    channelId: channel._id,
    title: someText(draw, 3 + random.below(7)),
    ownerId: cast[0]!.id,
    appliedTags: channel.availableTags!.flatMap(({ id }) => (random.below(4) === 0 ? [id] : [])),
    archived,
    archivedAt: archived ? new Date(startedAt + 7 * DAY_MS) : null,
    locked,
    lockedAt: locked ? new Date(startedAt + 8 * DAY_MS) : null,
    pinned: random.below(500) === 0,
    stamps: {},
    asOf: AS_OF,
  };
  const linked = new Map<string, string>();
  const messages: MessageRecord[] = [];
  let at = startedAt;
  for (let index = 0; index < length; index += 1) {
    messages.push(aMessage(draw, { thread, cast, n, linked, before: messages }, at));
    at += 1_000 + random.below(600_000);
  }
  return { thread, channel, messages, linked };
}

interface Conversation {
  thread: ThreadRecord;
  cast: AuthorSnapshot[];
  n: number;
  linked: Map<string, string>;
  before: readonly MessageRecord[];
}

function aMessage(draw: Draw, conversation: Conversation, at: number): MessageRecord {
  const { random } = draw;
  const { thread, cast, n, before } = conversation;
  const isFirst = before.length === 0;
  const _id = isFirst ? thread._id : snowflake(at, n);
  const createdAt = new Date(at);
  const answered =
    !isFirst && random.below(4) === 0 ? before[random.below(before.length)]! : undefined;
  const mentioned = random.below(15) === 0 ? cast[random.below(cast.length)]! : undefined;
  const content = someContent(draw, conversation);
  return {
    _id,
    threadId: thread._id,
    type: answered ? 19 : 0,
    counted: true,
    author: cast[isFirst ? 0 : random.below(cast.length)]!,
    content: mentioned ? `<@${mentioned.id}> ${content}` : content,
    createdAt,
    editedAt: random.below(10) === 0 ? new Date(at + 60_000) : null,
    pinned: false,
    attachments: random.below(15) === 0 ? [anImage(_id, random)] : [],
    embeds: random.below(40) === 0 ? [anEmbed(draw)] : [],
    stickers: [],
    reactions:
      random.below(8) === 0
        ? [{ emoji: anEmoji(random), count: 1 + random.below(9), userIds: [] }]
        : [],
    mentions: mentioned ? [nameOf(mentioned)] : [],
    reference: answered
      ? {
          type: 'reply' as const,
          messageId: answered._id,
          channelId: thread._id,
          guildId: thread.serverId,
        }
      : null,
    forwarded: null,
    interaction: null,
    asOf: AS_OF,
    order: timeKey(createdAt) + idKey(_id),
  };
}

function someContent(draw: Draw, { thread, linked }: Conversation): string {
  const { random, recent } = draw;
  const text = someText(draw, 5 + random.below(40));
  const kind = random.below(24);
  if (kind < 2) return `${text}\n\`\`\`js\nconst value = ${random.below(1_000)};\n\`\`\``;
  if (kind < 4) return `${text} https://example.org/${someText(draw, 1)}`;
  if (kind < 6) return `**${text}** 🙂 grüße`;
  const other = kind === 6 && recent.length > 0 ? recent[random.below(recent.length)] : undefined;
  if (!other) return text;
  linked.set(other.id, other.title);
  return `${text} https://discord.com/channels/${thread.serverId}/${other.id}`;
}

function someText({ word }: Draw, words: number): string {
  return textOf(Array.from({ length: words }, word));
}

function snowflake(ms: number, sequence: number): string {
  return String((BigInt(ms - PLATFORM_EPOCH_MS) << 22n) | BigInt(sequence & 0x3fffff));
}

function aForum(serverId: string, number: number): ChannelRecord {
  const _id = String(300_000_000_000_000_000n + BigInt(number));
  const availableTags = TAG_NAMES.map((name, n): AvailableTag => ({
    id: String(400_000_000_000_000_000n + BigInt(number * 100 + n)),
    name,
    emoji: null,
    moderated: false,
  }));
  return {
    _id,
    serverId,
    name: `forum-${number}`,
    type: 15,
    topic: 'Ask anything',
    position: number % 10,
    parentId: null,
    parentName: null,
    availableTags,
    stamps: {},
  };
}

function aPerson(number: number): AuthorSnapshot {
  return {
    id: String(100_000_000_000_000_000n + BigInt(number) * 4_194_304n),
    username: `person${number}`,
    displayName: `Person ${number}`,
    discriminator: null,
    avatar: `https://cdn.discordapp.com/embed/avatars/${number % 6}.png`,
    isBot: number % 50 === 7,
  };
}

function nameOf({
  id,
  username,
  displayName,
  isBot,
}: AuthorSnapshot): MessageRecord['mentions'][0] {
  return { id, username, displayName, isBot };
}

function anImage(id: string, random: Random): MessageRecord['attachments'][0] {
  return {
    id,
    filename: 'image.png',
    contentType: 'image/png',
    url: `https://cdn.discordapp.com/attachments/1/${id}/image.png`,
    size: random.below(1_000_000),
    width: 640,
    height: 480,
  };
}

function anEmoji(random: Random): MessageRecord['reactions'][0]['emoji'] {
  return { id: null, name: random.pick(['👍', '🎉', '❤️']), animated: false };
}

function anEmbed(draw: Draw): EmbedRecord {
  return {
    type: 'rich',
    title: someText(draw, 4),
    description: someText(draw, 20),
    url: 'https://example.org/page',
    timestamp: null,
    color: 0x3498db,
    footer: null,
    author: { name: 'Example', url: 'https://example.org', iconUrl: null },
    thumbnail: { url: 'https://example.org/image.png', width: 80, height: 80 },
    images: [],
    video: null,
    fields: [],
  };
}
