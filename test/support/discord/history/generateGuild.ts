import { ChannelType, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Random } from '../../../faults/random.js';
import type { Channel, Guild, Message, User } from '../model/entities.js';
import type { DiscordModel } from '../model/model.js';
import type { ChannelValues } from '../model/operations.js';
import { READING } from '../model/permissions.js';
import type { HistorySize } from '../settings.js';
import { generatePeople } from './people.js';
import { generateThread } from './generateThread.js';
import { aText } from './words.js';

const WEEK = 7 * 86_400_000;
const FIRST_GUILD = Date.UTC(2015, 7, 1);
const { ViewChannel, ReadMessageHistory } = PermissionFlagsBits;

/**
 * Generates a guild with forums of every kind: public ones, and one each that is hidden, private, for adults, and so
 * on.
 */
export function generateGuild(model: DiscordModel, random: Random, size: HistorySize): Guild {
  const at = FIRST_GUILD + random.below(4 * WEEK);
  const guild = model.createGuild({ at, name: `Community ${model.guilds.size + 1}` });
  for (const name of ['Helpers', 'Left out', 'Moderators']) {
    const color = random.below(0xffffff);
    model.createRole(guild.id, { at, name, color, permissions: READING });
  }
  const ladybug = { id: String(BigInt(guild.id) + 1n), name: 'ladybug' };
  guild.emojis.push(ladybug);
  const people = generatePeople(model, random, guild, size.people);
  const start = model.clock.now() - size.weeks * WEEK;
  const category = model.createChannel(guild.id, {
    type: ChannelType.GuildCategory,
    name: 'Community',
    at: start,
  });
  const chat = generateChat(model, random, guild, people, category, start);
  for (const plan of forumPlans(model, random, guild, size)) {
    const forum = model.createChannel(guild.id, {
      type: ChannelType.GuildForum,
      topic: 'Ask one thing at a time.',
      at: start,
      parentId: category.id,
      ...plan.values,
    });
    for (const name of ['Solved', 'Question', 'Bug']) {
      const emoji = name === 'Bug' ? { emojiId: ladybug.id } : { emojiName: '🏷️' };
      model.createTag(forum.id, { name, isModerated: name === 'Solved', ...emoji });
    }
    generateThreads(model, random, { forum, people, elsewhere: chat, size, count: plan.threads });
  }
  return guild;
}

interface ForumPlan {
  values: ChannelValues & { type?: ChannelType.GuildMedia };
  threads: number;
}

/** The public forums, and one forum of each kind that is not simply public. */
function forumPlans(
  { bot }: DiscordModel,
  random: Random,
  { id, roles }: Guild,
  { forums, threads }: HistorySize,
): ForumPlan[] {
  const own = [...roles.values()].find(({ botId }) => botId === bot.id)!.id;
  const deny = (denied: bigint, allow = 0n): Pick<Channel, 'overwrites'> => ({
    overwrites: [
      { id, type: 0, deny: denied, allow: 0n },
      { id: own, type: 0, deny: 0n, allow },
    ],
  });
  const few = Math.min(3, threads);
  return [
    ...Array.from({ length: forums }, (_, index) => ({
      values: { name: `help-${index + 1}`, requiresTag: random.chance(0.3) },
      threads,
    })),
    { values: { name: 'showcase', type: ChannelType.GuildMedia }, threads: few },
    { values: { name: 'staff', ...deny(ViewChannel, READING) }, threads: few },
    { values: { name: 'secret', ...deny(ViewChannel) }, threads: few },
    { values: { name: 'no-history', ...deny(ReadMessageHistory) }, threads: few },
    { values: { name: 'adults', isNsfw: true }, threads: few },
    { values: { name: 'story-spoilers', isSpoiler: true }, threads: few },
    { values: { name: 'empty' }, threads: 0 },
  ];
}

interface Threads {
  forum: Channel;
  people: readonly User[];
  elsewhere: Message | undefined;
  size: HistorySize;
  count: number;
}

/** Generates threads of all ages. Most are archived, and some of them were archived at the same moment. */
function generateThreads(
  model: DiscordModel,
  random: Random,
  { forum, people, elsewhere, size, count }: Threads,
): void {
  const now = model.clock.now();
  let archiveMicros = 0;
  for (let index = 0; index < count; index += 1) {
    const age = random.chance(0.2) ? random.below(WEEK) : random.below(size.weeks * WEEK);
    const at = now - 3_600_000 - age;
    const messages = random.below(size.messages);
    const thread = generateThread(model, random, { forum, people, at, messages, elsewhere });
    if (random.chance(0.7)) {
      const isAlike = archiveMicros > 0 && random.chance(0.4);
      if (!isAlike) archiveMicros = (now - random.below(age)) * 1000 + random.below(1000);
      const isLocked = random.chance(0.2);
      model.updateThread(thread.id, { isArchived: true, isLocked, archiveMicros });
    } else if (random.chance(0.2)) {
      model.updateThread(thread.id, { isPinned: true, isLocked: random.chance(0.5) });
    }
  }
}

/** Generates channels that are no forums: a chat with a thread of its own, and announcements. */
function generateChat(
  model: DiscordModel,
  random: Random,
  { id }: Guild,
  people: readonly User[],
  category: Channel,
  start: number,
): Message {
  const place = { parentId: category.id, at: start };
  const chat = model.createChannel(id, { type: ChannelType.GuildText, name: 'general', ...place });
  model.createChannel(id, { type: ChannelType.GuildAnnouncement, name: 'news', ...place });
  const authorId = random.pick(people).id;
  const message = model.post(chat.id, { authorId, content: aText(random), at: start + 1 });
  const starter = { content: 'Let us go on in a thread' };
  model.createThread(chat.id, { name: 'Aside', ownerId: authorId, starter, at: start + 2 });
  return message;
}
