import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** The size of a generated archive. The same options give the same files. */
export interface ArchiveSize {
  threads: number;
  /** The number of messages in all threads together. As in forums, most threads are short, and few are long. */
  messages: number;
  seed: number;
}

const WORDS =
  'the server port error config update install node build driver flash radio signal setting module version log file channel message thread search index works fails after before restart cannot find connect default value option battery antenna range repeater firmware screen button menu please thanks solved tried again same problem here maybe check docs link example'.split(
    ' ',
  );
const TAGS = ['Solved', 'Question', 'Bug', 'Idea', 'Hardware', 'Software'] as const;
const EPOCH_MS = 1_420_070_400_000;
const START_MS = Date.UTC(2023, 0, 1);
const SPAN_MS = 3 * 365 * 86_400_000;
const FORUMS = 8;
const PEOPLE = 2_000;
const SERVER_ID = '200000000000000001';

/** Writes an archive with one server into a folder, in the extended export form, one file for each thread. */
export async function generateArchive(folder: string, size: ArchiveSize): Promise<void> {
  const random = randomOf(size.seed);
  const counts = messageCounts(size, random);
  for (const [number, messages] of counts.entries()) {
    const forum = random(FORUMS);
    const path = join(folder, String(forum));
    await mkdir(path, { recursive: true });
    const pieces = generateThread(number, messages, forum, random);
    await pipeline(Readable.from(pieces), createWriteStream(join(path, `${number}.json`)));
  }
}

type Random = (below: number) => number;

/** A repeatable source of random whole numbers (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

function messageCounts({ threads, messages }: ArchiveSize, random: Random): number[] {
  const weights = Array.from({ length: threads }, () => 1 / (1 + random(1_000) / 50));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => Math.max(1, Math.round((weight / sum) * messages)));
}

function snowflake(ms: number, sequence: number): string {
  return String((BigInt(ms - EPOCH_MS) << 22n) | BigInt(sequence & 0x3fffff));
}

function* generateThread(
  number: number,
  messages: number,
  forum: number,
  random: Random,
): Generator<string> {
  const startedAt = START_MS + random(SPAN_MS);
  const threadId = snowflake(startedAt, number);
  const header = threadHeader(threadId, forum, startedAt, random);
  // In real forums (70 threads of 19 messages on average) two to eight people talk in a thread.
  const cast = Array.from({ length: 2 + random(7) }, () => personNumber(random));
  yield `${JSON.stringify(header, null, 2).slice(0, -2)},\n  "messages": [`;
  let at = startedAt;
  for (let index = 0; index < messages; index += 1) {
    const id = index === 0 ? threadId : snowflake(at, number + index);
    const message = generateMessage(id, at, index, cast, random);
    const text = JSON.stringify(message, null, 2).replaceAll('\n', '\n    ');
    yield `${index === 0 ? '' : ','}\n    ${text}`;
    at += 1_000 + random(600_000);
  }
  yield `\n  ],\n  "messageCount": ${messages}\n}`;
}

function threadHeader(threadId: string, forum: number, startedAt: number, random: Random): object {
  const archived = random(3) > 0;
  const locked = random(20) === 0;
  const tags = TAGS.map((name, index) => ({ id: `40000000000000${forum}10${index}`, name }));
  return {
    guild: { id: SERVER_ID, name: 'Generated', iconUrl: null, memberCount: 12_345 },
    channel: {
      id: threadId,
      type: 'GuildPublicThread',
      categoryId: `30000000000000000${forum}`,
      category: `forum-${forum}`,
      name: sentence(3 + random(7), random),
      topic: null,
      appliedTags: tags.filter(() => random(4) === 0).map(({ id }) => id),
      archived,
      archivedAt: archived ? timestamp(startedAt + 7 * 86_400_000) : null,
      locked,
      lockedAt: locked ? timestamp(startedAt + 8 * 86_400_000) : null,
      pinned: random(500) === 0,
      availableTags: tags.map((tag) => ({ ...tag, emoji: null, moderated: false })),
      forum: { type: 15, topic: 'Ask anything', position: forum, parentId: null, parentName: null },
    },
    dateRange: { after: null, before: null },
    exportedAt: '2026-02-01T12:00:00.1234567+00:00',
  };
}

function generateMessage(
  id: string,
  at: number,
  index: number,
  cast: readonly number[],
  random: Random,
): object {
  const isReply = index > 0 && random(4) === 0;
  return {
    id,
    type: isReply ? 'Reply' : 'Default',
    timestamp: timestamp(at),
    timestampEdited: random(10) === 0 ? timestamp(at + 60_000) : null,
    callEndedTimestamp: null,
    isPinned: false,
    content: generateContent(random),
    author: generateUser(cast[index === 0 ? 0 : random(cast.length)]!),
    attachments: random(15) === 0 ? [generateAttachment(id, random)] : [],
    embeds: [],
    stickers: [],
    reactions: random(8) === 0 ? [generateReaction(random)] : [],
    mentions: isReply ? [generateUser(cast[random(cast.length)]!)] : [],
    ...(isReply ? { reference: { type: 'Default', messageId: id, channelId: null } } : {}),
    inlineEmojis: [],
  };
}

/** Draws the number of a person. A few people write much, so small numbers are more frequent. */
function personNumber(random: Random): number {
  return Math.floor((random(PEOPLE) * random(PEOPLE)) / PEOPLE);
}

function generateUser(number: number): object {
  return {
    id: String(100_000_000_000_000_000n + BigInt(number) * 4_194_304n),
    name: `person${number}`,
    discriminator: '0000',
    nickname: `Person ${number}`,
    color: null,
    isBot: number % 50 === 7,
    roles: [{ id: '600000000000000001', name: 'Member', color: '#3498DB', position: 1 }],
    avatarUrl: `https://cdn.discordapp.com/embed/avatars/${number % 6}.png`,
  };
}

function generateContent(random: Random): string {
  const text = sentence(5 + random(40), random);
  const kind = random(12);
  if (kind === 0) return `${text}\n\`\`\`js\nconst value = ${random(1_000)};\n\`\`\``;
  if (kind === 1) return `${text} https://example.org/${sentence(1, random)}`;
  return kind === 2 ? `**${text}** 🙂 grüße` : text;
}

function generateAttachment(id: string, random: Random): object {
  return {
    id,
    url: `https://cdn.discordapp.com/attachments/1/${id}/image.png`,
    fileName: 'image.png',
    fileSizeBytes: random(1_000_000),
    width: 640,
    height: 480,
  };
}

function generateReaction(random: Random): object {
  return {
    emoji: { id: '', name: random(2) ? '👍' : '🎉', isAnimated: false },
    count: 1 + random(9),
    users: [],
  };
}

function sentence(words: number, random: Random): string {
  return Array.from({ length: words }, () => WORDS[random(WORDS.length)]).join(' ');
}

function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00');
}
