import { ChannelType, EmbedType, MessageType, PermissionFlagsBits } from 'discord-api-types/v10';
import type { Random } from '../../../faults/random.js';
import type { Channel, Message, Thread } from '../model/entities.js';
import type { DiscordModel } from '../model/model.js';
import { READING } from '../model/permissions.js';
import { isForum } from '../model/threadOperations.js';
import { aMessage, type Scene } from './messageKinds.js';
import { aText, aTitle } from './words.js';

const { ViewChannel, ReadMessageHistory } = PermissionFlagsBits;
/** The types of messages that can be forwarded. System messages cannot. */
const FORWARDED: number[] = [MessageType.Default, MessageType.Reply];

/** Where an operation happens. */
interface Place {
  model: DiscordModel;
  random: Random;
  forum: Channel;
  thread: Thread;
  message: Message;
  /** A member's id. */
  userId: string;
}

type Operation = (place: Place) => void;

/** Operations that an archived thread does not have to be opened for, even if it is locked. */
const AT_REST = new Set(['deleteMessage', 'deleteMessages', 'deleteThread', 'reopen']);

const TALK: Record<string, Operation> = {
  post({ model, random, thread }) {
    model.post(thread.id, aMessage(sceneOf(model, random, thread)));
  },
  createThread({ model, random, forum, userId }) {
    const appliedTagIds = forum.tags.slice(0, 1).map(({ id }) => id);
    const starter = { content: aText(random) };
    model.createThread(forum.id, { name: aTitle(random), ownerId: userId, starter, appliedTagIds });
  },
  forward({ model, thread, message, userId }) {
    if (FORWARDED.includes(message.type)) model.forward(message, thread.id, userId);
  },
  /** Forwards a message of another thread, which may be private. */
  forwardElsewhere({ model, random, forum: { guildId }, thread, userId }) {
    const others = [...model.threads.values()].filter((one) => one.guildId === guildId);
    const said = others.flatMap(({ id }) => model.messagesOf(id));
    const fit = said.filter(({ type }) => FORWARDED.includes(type));
    if (fit.length > 0) model.forward(random.pick(fit), thread.id, userId);
  },
  edit({ model, random, thread, message }) {
    model.edit(thread.id, message.id, { content: `${aText(random)} (edited)` });
  },
  /** The author takes the files away. */
  removeFiles({ model, thread, message }) {
    if (message.attachments.length > 0) {
      model.edit(thread.id, message.id, { attachmentIds: [] });
    }
  },
  /** The platform adds the preview of a link, some time after the message. */
  preview({ model, random, thread, message }) {
    if (!FORWARDED.includes(message.type) || message.components.length > 0) return;
    const url = 'https://blog.example.com/later';
    const embed = { type: EmbedType.Link, url, title: aTitle(random) };
    model.resolveEmbeds(thread.id, message.id, [embed]);
  },
  vote({ model, random, thread, userId }) {
    const poll = model.messagesOf(thread.id).find((one) => one.poll && !one.poll.isFinal);
    if (poll) model.vote(thread.id, poll.id, userId, random.pick(poll.poll!.answers).id);
  },
  react({ model, random, thread, message, userId }) {
    model.react(thread.id, message.id, userId, { id: null, name: random.pick(['👍', '🎉']) });
  },
  unreact({ model, thread, message }) {
    for (const { emoji, userIds } of message.reactions.slice(0, 1)) {
      for (const userId of [...userIds]) model.unreact(thread.id, message.id, userId, emoji);
    }
  },
};

const UPKEEP: Record<string, Operation> = {
  deleteMessage: ({ model, thread, message }) => model.deleteMessage(thread.id, message.id),
  deleteMessages({ model, thread }) {
    const ids = model.messagesOf(thread.id).slice(-2);
    model.deleteMessages(
      thread.id,
      ids.map(({ id }) => id),
    );
  },
  clearReactions({ model, thread, message }) {
    if (message.reactions.length > 0) model.clearReactions(thread.id, message.id);
  },
  clearReaction({ model, thread, message }) {
    const [first] = message.reactions;
    if (first) model.clearReactions(thread.id, message.id, first.emoji);
  },
  setPinned({ model, thread, message }) {
    model.setPinned(thread.id, message.id, message.pinnedAt === null);
  },
  retitle({ model, random, thread }) {
    model.updateThread(thread.id, { name: aTitle(random) });
  },
  tag({ model, random, forum, thread }) {
    const appliedTagIds = forum.tags.filter(() => random.chance(0.5)).map(({ id }) => id);
    const isSame = String(appliedTagIds) === String(thread.appliedTagIds);
    if (!isSame) model.updateThread(thread.id, { appliedTagIds });
  },
  archive: ({ model, thread }) => model.updateThread(thread.id, { isArchived: true }),
  lock: ({ model, thread }) => model.updateThread(thread.id, { isLocked: !thread.isLocked }),
  pinThread: ({ model, thread }) => model.updateThread(thread.id, { isPinned: !thread.isPinned }),
  reopen({ model, thread: { id, isArchived, isLocked } }) {
    if (isArchived || isLocked) model.updateThread(id, { isArchived: false, isLocked: false });
  },
  deleteThread: ({ model, thread }) => model.deleteThread(thread.id),
  renameForum({ model, random, forum }) {
    model.updateChannel(forum.id, { name: `forum-${random.below(1000)}` });
  },
  renameServer({ model, random, forum }) {
    model.updateGuild(forum.guildId, { name: `Server ${random.below(1000)}` });
  },
  renameCategory({ model, random, forum: { parentId } }) {
    if (parentId) model.updateChannel(parentId, { name: `category ${random.below(100)}` });
  },
  /** Takes a forum out of its category, or puts it into one. */
  moveForum({ model, forum: { id, guildId, parentId } }) {
    const category = [...model.channels.values()].find(
      (one) => one.guildId === guildId && one.type === ChannelType.GuildCategory,
    );
    model.updateChannel(id, { parentId: parentId ? null : (category?.id ?? null) });
  },
  renameTag({ model, random, forum }) {
    const tags = forum.tags.map((tag) => ({ ...tag, name: `tag ${random.below(100)}` }));
    model.updateChannel(forum.id, { tags });
  },
  deleteTag({ model, random, forum }) {
    const [tag] = random.shuffle(forum.tags);
    if (tag && forum.tags.length > 1) model.deleteTag(forum.id, tag.id);
    else model.createTag(forum.id, { name: `tag ${random.below(100)}` });
  },
  endPoll({ model, thread }) {
    const poll = model.messagesOf(thread.id).find((one) => one.poll && !one.poll.isFinal);
    if (poll) model.endPoll(thread.id, poll.id);
  },
  /** Gives a role of the server to a member, or takes it away. */
  changeRole({ model, random, thread: { guildId }, userId }) {
    const { roles, members } = model.guilds.get(guildId)!;
    const { roleIds } = members.get(userId)!;
    const open = [...roles.values()].filter(({ id, botId }) => id !== guildId && botId === null);
    if (open.length === 0) return;
    const { id } = random.pick(open);
    const others = roleIds.filter((roleId) => roleId !== id);
    const has = others.length < roleIds.length;
    model.updateMember(guildId, userId, { roleIds: has ? others : [...others, id] });
  },
  nickname({ model, random, thread, userId }) {
    model.updateMember(thread.guildId, userId, { nick: `Nick ${random.below(1000)}` });
  },
  leave({ model, thread: { guildId }, userId }) {
    const { ownerId } = model.guilds.get(guildId)!;
    if (userId !== ownerId && userId !== model.bot.id) model.removeMember(guildId, userId);
  },
  /** Somebody who has left joins again. Most have no role then. */
  joinAgain({ model, random, thread: { guildId } }) {
    const { members, roles } = model.guilds.get(guildId)!;
    const gone = [...model.users.values()].filter(({ id, isBot }) => !isBot && !members.has(id));
    if (gone.length === 0) return;
    const given = [...roles.values()].filter(
      ({ id, botId }) => id !== guildId && botId === null && random.chance(0.2),
    );
    const roleIds = given.map(({ id }) => id);
    model.addMember(guildId, random.pick(gone).id, { roleIds });
  },
};

const ACCESS: Record<string, Operation> = {
  hideForum: ({ model, forum }) => setEveryone(model, forum, 0n, ViewChannel),
  hideHistory: ({ model, forum }) => setEveryone(model, forum, 0n, ReadMessageHistory),
  showForum: ({ model, forum }) => setEveryone(model, forum, 0n, 0n),
  /** Opens a forum to everybody, even while the server is closed. */
  openForum: ({ model, forum }) => setEveryone(model, forum, READING, 0n),
  restrictForum({ model, forum: { id, isNsfw } }) {
    model.updateChannel(id, { isNsfw: !isNsfw });
  },
  markAsSpoiler({ model, forum: { id, isSpoiler } }) {
    model.updateChannel(id, { isSpoiler: !isSpoiler });
  },
  restrictServer({ model, forum: { guildId } }) {
    const { nsfwLevel } = model.guilds.get(guildId)!;
    model.updateGuild(guildId, { nsfwLevel: nsfwLevel === 0 ? 3 : 0 });
  },
  /** Closes the server to everybody except the bot and the staff, or opens it again. */
  closeServer: ({ model, forum: { guildId } }) => toggle(model, guildId, guildId),
  /** Takes the permissions of the bot's role away, or gives them back. No event tells what is lost by that. */
  weakenBot({ model, forum: { guildId } }) {
    const own = [...model.guilds.get(guildId)!.roles.values()].find(({ botId }) => botId !== null)!;
    toggle(model, guildId, own.id);
  },
  replaceForum({ model, random, forum }) {
    const name = `forum-${random.below(1000)}`;
    const { id, guildId, parentId } = forum;
    const next = model.createChannel(guildId, { type: ChannelType.GuildForum, name, parentId });
    const [ownerId = guildId] = model.guilds.get(guildId)!.members.keys();
    model.createThread(next.id, { ownerId, name: aTitle(random) });
    model.deleteChannel(id);
  },
};

function setEveryone(
  model: DiscordModel,
  { id: channelId, guildId }: Channel,
  allow: bigint,
  deny: bigint,
): void {
  model.setOverwrite(channelId, { id: guildId, type: 0, allow, deny });
}

function toggle(model: DiscordModel, guildId: string, roleId: string): void {
  const { permissions } = model.guilds.get(guildId)!.roles.get(roleId)!;
  model.updateRole(guildId, roleId, { permissions: permissions === 0n ? READING : 0n });
}

/**
 * Carries out a random operation in a random forum. Returns its name, or null where nothing fits it. Half of all
 * operations are talk. One in twenty changes who may see what, unless `keepsAccess` is set.
 */
export function randomOperation(
  model: DiscordModel,
  random: Random,
  { keepsAccess = false } = {},
): string | null {
  const forums = [...model.channels.values()].filter(isForum);
  if (forums.length === 0) return null;
  const kinds = !keepsAccess && random.chance(0.05) ? ACCESS : random.chance(0.5) ? TALK : UPKEEP;
  const name = random.pick(Object.keys(kinds));
  const forum = random.pick(forums);
  const threads = [...model.threads.values()].filter(({ parentId }) => parentId === forum.id);
  const fit = AT_REST.has(name)
    ? threads
    : threads.filter(({ isArchived, isLocked }) => !isArchived || !isLocked);
  const thread = fit.length > 0 ? random.pick(fit) : undefined;
  const message = thread && random.pick([...model.messagesOf(thread.id), undefined]);
  const members = [...model.guilds.get(forum.guildId)!.members.keys()];
  if (!thread || !message) return null;
  // An archived thread only becomes active by a post, or when its archived state is changed.
  if (thread.isArchived && !isAtRest(name)) model.updateThread(thread.id, { isArchived: false });
  kinds[name]!({ model, random, forum, thread, message, userId: random.pick(members) });
  return name;
}

function isAtRest(name: string): boolean {
  return AT_REST.has(name) || ['post', 'createThread'].includes(name) || name in ACCESS;
}

function sceneOf(model: DiscordModel, random: Random, { id, guildId }: Thread): Scene {
  const people = [...model.guilds.get(guildId)!.members.values()].map(({ user }) => user);
  const earlier = model.messagesOf(id);
  return { random, people, bot: model.bot, guildId, earlier, elsewhere: undefined };
}
