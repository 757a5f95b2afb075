import {
  ButtonStyle,
  ComponentType,
  EmbedType,
  MessageFlags,
  MessageType,
  SeparatorSpacingSize,
  StickerFormatType,
} from 'discord-api-types/v10';
import type { Random } from '../../../faults/random.js';
import type { Message, User } from '../model/entities.js';
import type { NewMessage } from '../model/operations.js';
import { aText } from './words.js';

/** What a message may be made from. */
export interface Scene {
  random: Random;
  people: readonly User[];
  bot: User;
  guildId: string;
  /** The earlier messages of the same thread. */
  earlier: readonly Message[];
  /** A message that was posted elsewhere and can be forwarded. */
  elsewhere: Message | undefined;
}

type Kind = (scene: Scene) => Partial<NewMessage>;

const IMAGE = { contentType: 'image/png', width: 640, height: 480 };
const PICTURE = 'https://images.example.com/chart.png';
const MEDIA = {
  id: '310000000000000079',
  url: PICTURE,
  proxy_url: PICTURE,
  width: 800,
  height: 600,
  content_type: 'image/png',
};

/** Every kind of message that a thread may hold, by name, except for `forward`, which copies another message. */
export const MESSAGE_KINDS = {
  text: ({ random }) => ({ content: aText(random) }),

  mentions({ random, people, guildId }) {
    const { id } = random.pick(people);
    const content = `<@${id}> and <@!${id}>, see <#${guildId}> and <@&${guildId}>`;
    return { content, mentionIds: [id] };
  },

  mentionOfTheBot: ({ bot }) => ({ content: `<@${bot.id}> are you there?`, mentionIds: [bot.id] }),

  everybody: () => ({ content: '@everyone there is news', mentionsEveryone: true }),

  reply(scene) {
    const { random, earlier } = scene;
    if (earlier.length === 0) return { content: aText(random) };
    const { id: messageId, channelId, guildId, authorId } = random.pick(earlier);
    return {
      type: MessageType.Reply,
      content: aText(random),
      mentionIds: [authorId],
      reference: { type: 0, channelId, guildId, messageId },
    };
  },

  poll: ({ random }) => ({
    poll: {
      question: 'Which one?',
      answers: ['This', 'That', 'Neither 🙈'].map((text, index) => ({
        id: index + 1,
        text,
        voterIds: new Set<string>(),
      })),
      endsAt: Date.UTC(2027, 0, 1) + random.below(1e9),
      isFinal: false,
    },
  }),

  components: ({ random }) => ({
    flags: MessageFlags.IsComponentsV2,
    components: [
      { type: ComponentType.TextDisplay, id: 1, content: `# Release\n${aText(random)}` },
      {
        type: ComponentType.Container,
        id: 2,
        accent_color: 0x5865f2,
        spoiler: false,
        components: [
          { type: ComponentType.TextDisplay, id: 3, content: aText(random) },
          {
            type: ComponentType.Separator,
            id: 4,
            divider: true,
            spacing: SeparatorSpacingSize.Small,
          },
        ],
      },
    ],
  }),

  buttons: ({ random }) => ({
    content: aText(random),
    components: [
      {
        type: ComponentType.ActionRow,
        id: 1,
        components: [
          {
            type: ComponentType.Button,
            id: 2,
            style: ButtonStyle.Primary,
            custom_id: 'ok',
            label: 'OK',
          },
        ],
      },
    ],
  }),

  sticker: () => ({
    stickers: [{ id: '749054660769218631', name: 'Wave', format_type: StickerFormatType.Lottie }],
  }),

  embed: ({ random }) => ({
    content: 'https://blog.example.com/post',
    embeds: [
      {
        type: EmbedType.Rich,
        url: 'https://blog.example.com/post',
        title: 'A post',
        description: aText(random),
        color: 0x00ff00,
        timestamp: '2026-02-03T04:05:06+00:00',
        author: { name: 'A blog' },
        footer: { text: 'Read on' },
        image: { url: PICTURE, proxy_url: PICTURE, width: 800, height: 600 },
        fields: [{ name: 'Likes', value: '**3**', inline: true }],
      },
    ],
  }),

  attachments: ({ random }) => ({
    content: random.chance(0.5) ? aText(random) : '',
    attachments: [
      { ...IMAGE, filename: 'chart.png', size: 900 + random.below(9_000), description: 'A chart' },
      { filename: 'log file (1).txt', size: 10 + random.below(2_000) },
    ],
  }),

  spoiler: () => ({
    attachments: [{ ...IMAGE, filename: 'ending.png', size: 700, isSpoiler: true }],
  }),

  olderSpoiler: () => ({
    attachments: [{ ...IMAGE, filename: 'SPOILER_ending.png', size: 700 }],
  }),

  voice: () => ({
    flags: MessageFlags.IsVoiceMessage,
    attachments: [
      {
        filename: 'voice-message.ogg',
        size: 4_000,
        contentType: 'audio/ogg',
        voice: { seconds: 2.5, waveform: 'AAECAwQ=' },
      },
    ],
  }),

  gallery: ({ random }) => ({
    flags: MessageFlags.IsComponentsV2,
    components: [
      {
        type: ComponentType.Section,
        id: 1,
        components: [{ type: ComponentType.TextDisplay, id: 2, content: aText(random) }],
        accessory: {
          type: ComponentType.Thumbnail,
          id: 3,
          media: MEDIA,
          spoiler: false,
          description: 'A thumbnail',
        },
      },
      {
        type: ComponentType.MediaGallery,
        id: 4,
        items: [
          { media: MEDIA, description: 'A chart', spoiler: true },
          {
            media: { url: 'attachment://sent.png' },
            description: 'A picture',
            spoiler: false,
          },
        ],
      },
      {
        type: ComponentType.File,
        id: 5,
        file: { url: 'attachment://notes.txt' },
        name: 'notes.txt',
        size: 120,
        spoiler: true,
      },
    ],
    attachments: [{ filename: 'sent.png', size: 9_000, ...IMAGE }, { filename: 'notes.txt' }],
  }),

  /** An answer that a bot has announced, but never given. */
  loading: ({ bot }) => ({
    type: MessageType.ChatInputCommand,
    authorId: bot.id,
    flags: MessageFlags.Loading,
  }),

  webhook: ({ random }) => ({
    authorId: '310000000000000077',
    content: aText(random),
    webhook: { name: random.pick(['Build', 'News']), avatar: null },
  }),

  command({ random, people, bot }) {
    const asker = random.pick(people.filter(({ isBot }) => !isBot));
    return {
      type: MessageType.ChatInputCommand,
      authorId: bot.id,
      content: aText(random),
      command: { id: '310000000000000078', name: 'help', userId: asker.id },
    };
  },

  joined: ({ people, random }) => {
    const { id } = random.pick(people);
    return { type: MessageType.RecipientAdd, mentionIds: [id] };
  },

  autoModeration: () => ({
    type: MessageType.AutoModerationAction,
    content: 'a forbidden word',
    embeds: [{ type: EmbedType.AutoModerationMessage, description: 'a forbidden word' }],
  }),

  boost: () => ({ type: MessageType.GuildBoost }),
} satisfies Record<string, Kind>;

export type MessageKind = keyof typeof MESSAGE_KINDS;

/** A kind of message. Half of the messages are text or replies, and the others are of any kind. */
export function aKind(random: Random): MessageKind {
  if (random.chance(0.5)) return random.pick(['text', 'reply']);
  return random.pick(Object.keys(MESSAGE_KINDS) as MessageKind[]);
}

/** A message by one of the people, unless its kind decides the author. */
export function aMessage(
  scene: Scene,
  kind = aKind(scene.random),
): NewMessage & { authorId: string } {
  return { authorId: scene.random.pick(scene.people).id, ...MESSAGE_KINDS[kind](scene) };
}
