import { expect } from 'chai';
import Joi from 'joi';
import {
  CHECK,
  headerSchemas,
  messageSchema,
} from '../../../../shared/exportFormat/exportSchema.js';
import type {
  ExportAttachment,
  ExportEmbed,
  ExportEmoji,
  ExportMedia,
  ExportMessage,
  ExportSticker,
  ExportUser,
} from '../../../../shared/exportFormat/exportTypes.js';
import { quickCheck } from '../../../../shared/exportFormat/quickCheck.js';

const AT = '2026-02-01T12:00:00.1234567+00:00';
const ID = '1200000000000000001';
const MEDIA: Required<ExportMedia> = {
  url: 'https://example.org/a.png',
  canonicalUrl: null,
  width: 1.5,
  height: null,
};
const USER: Required<ExportUser> = {
  id: ID,
  name: 'ada',
  discriminator: null,
  nickname: 'Ada',
  isBot: false,
  avatarUrl: null,
};
const EMOJI: Required<ExportEmoji> = { id: '', name: '👍', isAnimated: false };
const ATTACHMENT: Required<ExportAttachment> = {
  id: ID,
  url: 'https://example.org/a.png',
  fileName: 'a.png',
  fileSizeBytes: 3,
  contentType: null,
  width: 640,
  height: 480,
  description: null,
  isSpoiler: true,
};
const STICKER: Required<ExportSticker> = { id: ID, name: 'wave', format: 'Png', sourceUrl: null };
const EMBED: Required<ExportEmbed> = {
  type: 'rich',
  title: 'T',
  url: null,
  timestamp: AT,
  description: '',
  color: '#ffffff',
  author: { name: 'A', url: null, iconUrl: null },
  footer: { text: 'F', iconUrl: null },
  thumbnail: MEDIA,
  image: null,
  images: [MEDIA],
  video: null,
  fields: [{ name: 'n', value: 'v', isInline: true }],
  inlineEmojis: [EMOJI],
};

/** A message with every key. The compiler also asks for the optional keys. */
const message: Required<ExportMessage> = {
  id: ID,
  type: 'Default',
  timestamp: AT,
  timestampEdited: null,
  isPinned: false,
  content: 'Hello',
  author: USER,
  attachments: [ATTACHMENT],
  embeds: [EMBED],
  stickers: [STICKER],
  inlineEmojis: [EMOJI],
  reactions: [{ emoji: EMOJI, count: 2, users: [{ id: '1' }] }],
  mentions: [USER],
  reference: { type: 'Default', messageId: ID, channelId: null, guildId: null },
  forwardedMessage: {
    timestamp: AT,
    timestampEdited: null,
    content: 'x',
    attachments: [ATTACHMENT],
    embeds: [EMBED],
    stickers: [STICKER],
  },
  interaction: { id: '5', name: null, user: USER },
  isWebhook: true,
  mentionedRoles: [{ id: ID, name: 'helpers' }],
  asOf: AT,
};

const samples: { schema: Joi.Schema; value: unknown }[] = [
  { schema: messageSchema, value: message },
  { schema: headerSchemas.guild, value: { id: '1', name: '', iconUrl: null, memberCount: 3 } },
  {
    schema: headerSchemas.channel,
    value: {
      id: ID,
      type: 11,
      categoryId: ID,
      category: 'c',
      name: 'n',
      topic: null,
      appliedTags: ['a'],
      archived: true,
      archivedAt: AT,
      locked: false,
      lockedAt: null,
      pinned: false,
      ownerId: '0',
      availableTags: [
        { id: ID, name: 'a', emoji: null, moderated: false },
        { id: '1200000000000000002', name: 'b' },
      ],
      forum: { type: 15, topic: null, position: -1, parentId: ID, parentName: null },
    },
  },
  { schema: headerSchemas.exportedAt, value: AT },
  { schema: headerSchemas.contentFormat, value: 'raw' },
];

/** Values that a damaged or forged file may hold in place of the right ones. */
const ODD: unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1,
  1.5,
  255,
  256,
  16777216,
  2 ** 53,
  -(2 ** 53),
  1e300,
  Infinity,
  '',
  '0',
  'x',
  ' ',
  ID,
  `${ID}0`,
  '0123',
  'raw',
  AT,
  '2026-02-01',
  '9000-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '2026-02-30T00:00:00Z',
  'x'.repeat(65),
  'x'.repeat(2_001),
  'x'.repeat(65_537),
  [],
  [null],
  [[]],
  ['', ''],
  {},
  { id: ID },
  { id: null, name: 'x' },
  Array.from({ length: 101 }, () => 'x'),
  [MEDIA, null],
  [EMOJI, EMOJI],
  { name: 'x' },
];

/** A repeatable source of whole numbers below a limit. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Changes one place of a value: another value, a missing one, a repeated one, or an unknown key. */
function damage(value: unknown, random: (below: number) => number): unknown {
  if (typeof value !== 'object' || value === null || random(6) === 0)
    return ODD[random(ODD.length)];
  if (Array.isArray(value)) {
    if (value.length === 0 || random(4) === 0)
      return [...(value as unknown[]), ODD[random(ODD.length)]];
    if (random(4) === 0) return [...(value as unknown[]), ...(value as unknown[])];
    const at = random(value.length);
    return value.map((item: unknown, index) => (index === at ? damage(item, random) : item));
  }
  const keys = Object.keys(value);
  const key = keys[random(keys.length)] ?? 'other';
  const { [key]: member, ...others } = value as Record<string, unknown>;
  if (random(5) === 0) return others;
  if (random(12) === 0) return { ...value, other: ODD[random(ODD.length)] };
  return { ...value, [key]: damage(member, random) };
}

describe('quickCheck', () => {
  it('passes a message with every key, so that no schema always needs the slow check', () => {
    for (const { schema, value } of samples) {
      expect(schema.validate(value, CHECK).error, JSON.stringify(value)).to.equal(undefined);
      expect(quickCheck(schema)(value), JSON.stringify(value)).to.equal(true);
    }
  });

  it('agrees with joi about 20,000 damaged values', () => {
    const random = randomOf(1);
    let valid = 0;
    for (const { schema, value } of samples) {
      const check = quickCheck(schema);
      for (let n = 0; n < 4_000; n += 1) {
        let damaged = damage(value, random);
        if (random(3) === 0) damaged = damage(damaged, random);
        const isValid = schema.validate(damaged, CHECK).error === undefined;
        if (isValid) valid += 1;
        expect(check(damaged), JSON.stringify(damaged)).to.equal(isValid);
      }
    }
    expect(valid).to.be.within(2_000, 18_000);
  });

  it('leaves unknown parts of a schema to joi', () => {
    const unknown = [
      Joi.object({ a: Joi.string() }).or('a', 'b'),
      Joi.object({ a: Joi.string() }).pattern(/^x/, Joi.number()),
      Joi.string().email(),
      Joi.string().lowercase(),
      Joi.string().pattern(/a/, { invert: true }),
      Joi.string().insensitive().allow('a'),
      Joi.number().positive(),
      Joi.number().max(Joi.ref('a')),
      Joi.array().items(Joi.string(), Joi.number()),
      Joi.array().items(Joi.string()).length(2),
      Joi.array().items(Joi.string()).unique(),
      Joi.array().ordered(Joi.string()),
      Joi.array().items(Joi.string()).single(),
      Joi.alternatives(Joi.string(), Joi.number()).match('one'),
      Joi.alternatives().conditional('a', { is: 1, then: Joi.string() }),
      Joi.string().when('a', { is: 1, then: Joi.forbidden() }),
      Joi.date(),
      Joi.any(),
    ];
    for (const schema of unknown) {
      const check = quickCheck(schema);
      for (const value of [...ODD, { a: 'x' }, 'a', 2]) {
        const told = `${JSON.stringify(schema.describe())}: ${JSON.stringify(value)}`;
        if (check(value)) expect(schema.validate(value, CHECK).error, told).to.equal(undefined);
      }
    }
  });

  it('leaves an object with a key of the prototype to joi', () => {
    const forged = JSON.parse('{"__proto__": {"name": 5}, "id": "1"}') as unknown;
    expect(quickCheck(messageSchema.extract('author'))(forged)).to.equal(false);
  });
});
