import { snowflakeTime } from '../../shared/exportFormat/snowflake.js';
import { UNTOLD_COPY } from '../../shared/store/forwards.js';
import type {
  AttachmentRecord,
  EmbedMedia,
  EmbedRecord,
  SourceMessage,
  SourceThread,
  StickerRecord,
} from '../../shared/store/records.js';
import { aSourceMessage, anAuthor, anId } from './factories.js';

/** Random choices that can be repeated from a seed. */
export interface Random {
  /** A whole number from 0 to below `below`. */
  below(below: number): number;
  pick<T>(values: readonly [T, ...T[]]): T;
  /** Up to three values. */
  some<T>(make: () => T): T[];
  /** The value in half of the cases, else null. */
  orNull<T>(value: T): T | null;
  /** The object in half of the cases, else an empty one. It is for fields that may never have been told. */
  orUntold<T extends object>(value: T): T | Record<string, never>;
}

/** A Random from a seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed * 2_654_435_761;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick: (values) => values[below(values.length)] as (typeof values)[0],
    some: (make) => Array.from({ length: below(4) }, make),
    orNull: (value) => (below(2) ? value : null),
    orUntold: (value) => (below(2) ? value : {}),
  };
}

const NAMES = [
  'ada',
  'Bob Ünal',
  '山田',
  'x',
  'name with : and @',
  '🦀 crab',
  '"quoted" <b>',
] as const;
const TEXTS = [
  '',
  'Hello',
  '<@100000000000000001> look at <:blob:200000000000000009> @ada :blob:',
  'line\nbreak\r\n\ttab',
  '```js\nconst a = "\\u0041";\n```',
  '||spoiler|| `@ada` 🙂 \u202eold',
  '<script>alert(1)</script> ]} , "',
] as const;
const URLS = [
  'https://example.org/a?b=c&d=%20#e',
  'http://example.org',
  'https://cdn.discordapp.com/x/y.png?ex=1&is=2&hm=3&',
] as const;

/** A thread with messages in which every field occurs now and then, as records hold them, all with the same `asOf`. */
export function generateRecords(random: Random): SourceThread & { messages: SourceMessage[] } {
  const serverId = anId();
  const channelId = anId();
  const threadId = anId();
  const asOf = 1_780_000_000_000_000 + random.below(1_000_000_000);
  return {
    asOf,
    server: {
      _id: serverId,
      name: random.pick(NAMES),
      ...random.orUntold({ icon: random.orNull(random.pick(['a_0123abc', '0123abc'])) }),
      ...random.orUntold({ description: random.orNull('About us') }),
      ...random.orUntold({ memberCount: random.below(10_000) }),
    },
    channel: generateChannel(random, { _id: channelId, serverId }),
    thread: {
      _id: threadId,
      serverId,
      channelId,
      title: random.pick(NAMES),
      ...random.orUntold({ ownerId: anId() }),
      ...random.orUntold({ appliedTags: random.some(anId) }),
      ...random.orUntold({ archived: Boolean(random.below(2)) }),
      ...random.orUntold({ archivedAt: random.orNull(aDate(random)) }),
      ...(random.below(3) === 0
        ? { locked: false, lockedAt: null }
        : {
            ...random.orUntold({ locked: true }),
            ...random.orUntold({ lockedAt: random.orNull(aDate(random)) }),
          }),
      ...random.orUntold({ pinned: Boolean(random.below(2)) }),
    },
    messages: Array.from({ length: 1 + random.below(5) }, () =>
      generateMessage(random, { threadId, asOf }),
    ),
  };
}

function generateChannel(
  random: Random,
  ids: { _id: string; serverId: string },
): SourceThread['channel'] {
  return {
    ...ids,
    name: random.pick(NAMES),
    type: random.pick([15, 0, 16]),
    ...random.orUntold({ topic: random.orNull('Be **kind**\nand brief') }),
    ...random.orUntold({ position: random.below(20) - 2 }),
    ...random.orUntold({ parentId: random.orNull(anId()) }),
    ...random.orUntold({ parentName: random.orNull(random.pick(NAMES)) }),
    ...random.orUntold({
      availableTags: random.some(() => ({
        id: anId(),
        name: random.pick(NAMES),
        emoji: random.orNull('✅'),
        moderated: Boolean(random.below(2)),
      })),
    }),
  };
}

/** Every field that an export tells; the compiler asks for those that a message may lack, too. */
type WholeMessage = Required<Omit<SourceMessage, 'partsAsOf'>>;

function generateMessage(random: Random, place: { threadId: string; asOf: number }): SourceMessage {
  const _id = anId();
  const type = random.pick([0, 0, 19, 20, 21, 23, 4, 6, 18, 46, 8, -1]);
  const person = (): SourceMessage['author'] =>
    anAuthor(random.pick(NAMES), {
      displayName: random.pick(NAMES),
      discriminator: random.orNull('5764'),
      isBot: Boolean(random.below(2)),
    });
  const { webhook, mentionedRoles, ...others }: WholeMessage = {
    ...place,
    _id,
    type,
    counted: [0, 19, 20, 21, 23].includes(type),
    author: person(),
    content: random.pick(TEXTS),
    createdAt: new Date(snowflakeTime(_id) + (random.below(5) === 0 ? 200_000_000 : 0)),
    editedAt: random.orNull(aDate(random)),
    pinned: Boolean(random.below(2)),
    attachments: random.some(() => generateAttachment(random)),
    embeds: random.some(() => generateEmbed(random)),
    stickers: random.some(() => generateSticker(random)),
    reactions: random.some(() => ({
      emoji: { id: random.orNull(anId()), name: random.pick(NAMES), animated: false },
      count: 1 + random.below(8),
      userIds: random.some(anId),
    })),
    mentions: random.some(() => {
      const { id, username, displayName, isBot } = person();
      return { id, username, displayName, isBot };
    }),
    reference: random.orNull({
      type: random.pick(['reply', 'forward'] as const),
      messageId: random.orNull(anId()),
      channelId: random.orNull(anId()),
      guildId: random.orNull(anId()),
    }),
    forwarded: random.orNull({
      content: random.pick(TEXTS),
      createdAt: random.orNull(aDate(random)),
      editedAt: random.orNull(aDate(random)),
      attachments: random.some(() => generateAttachment(random)),
      embeds: random.some(() => generateEmbed(random)),
      stickers: random.some(() => generateSticker(random)),
    }),
    interaction: random.orNull({ id: anId(), name: 'ask', userId: anId(), username: 'ada' }),
    webhook: true,
    mentionedRoles: [{ id: anId(), name: random.pick(NAMES) }],
  };
  const { reference, forwarded } = others;
  return aSourceMessage({
    ...others,
    ...(reference?.type === 'forward' && !forwarded && { forwarded: UNTOLD_COPY }),
    // No copy is recorded of a message whose thread is not told.
    ...(reference?.messageId && !reference.channelId && { forwarded: null }),
    ...(random.below(4) === 0 && { partsAsOf: { displayName: 0 } }),
    ...random.orUntold({ webhook }),
    ...random.orUntold({ mentionedRoles }),
  });
}

function aDate(random: Random): Date {
  return new Date(Date.UTC(2026, 0, 1) + random.below(10_000_000_000));
}

function generateAttachment(random: Random): AttachmentRecord {
  const { description, spoiler, ...others }: Required<AttachmentRecord> = {
    id: anId(),
    filename: random.pick(['a.png', 'SPOILER_b.jpg', 'ünïcode 文件.txt', 'noending']),
    url: random.pick(URLS),
    contentType: random.orNull('image/png'),
    size: random.below(1_000_000),
    width: random.orNull(640),
    height: random.orNull(480),
    description: 'A <b>chart</b> of Ann',
    spoiler: true,
  };
  return {
    ...others,
    ...random.orUntold({ description }),
    ...random.orUntold({ spoiler }),
  };
}

function generateEmbed(random: Random): EmbedRecord {
  const media = (): EmbedMedia => ({
    url: random.pick(URLS),
    width: random.orNull(1),
    height: random.orNull(2),
  });
  return {
    type: random.pick(['rich', 'link', 'video']),
    title: random.orNull('Title'),
    description: random.orNull('Line\nline'),
    url: random.orNull(random.pick(URLS)),
    timestamp: random.orNull(aDate(random)),
    color: random.orNull(random.below(0x1000000)),
    author: random.orNull({
      name: 'Author',
      url: random.orNull(random.pick(URLS)),
      iconUrl: random.orNull(random.pick(URLS)),
    }),
    footer: random.orNull({ text: 'Footer', iconUrl: random.orNull(random.pick(URLS)) }),
    thumbnail: random.orNull(media()),
    images: random.some(media),
    video: random.orNull(media()),
    fields: random.some(() => ({
      name: 'Name',
      value: random.pick(TEXTS),
      inline: Boolean(random.below(2)),
    })),
  };
}

function generateSticker(random: Random): StickerRecord {
  return {
    id: anId(),
    name: random.pick(NAMES),
    format: random.pick(['Png', 'Apng', 'Lottie', 'Gif']),
    url: random.pick(URLS),
  };
}
