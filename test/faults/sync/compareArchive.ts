import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { same } from '../../../services/indexer/records/mergeFields.js';
import { liveChannel, liveServer } from '../../../services/indexer/sources/liveHeader.js';
import { liveMessage } from '../../../services/indexer/sources/liveMessage.js';
import type { LiveChannel, LiveRole } from '../../../shared/discordApi/answerTypes.js';
import { memberId } from '../../../shared/store/optOuts.js';
import type { SourceMessage } from '../../../shared/store/records.js';
import type { Links } from '../../support/discord/present/links.js';
import { presentChannel } from '../../support/discord/present/presentChannel.js';
import { presentGuild } from '../../support/discord/present/presentGuild.js';
import { presentMessage } from '../../support/discord/present/presentMessage.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { archivedState, differences, publicState } from '../../support/syncRig.js';

/**
 * The differences between the archive and what everybody may see of the servers. It also lists people who are left out,
 * or are not, contrary to their roles.
 */
export async function compareArchive(
  deps: IndexerDeps,
  discord: DiscordDouble,
  optOutRole: string,
): Promise<string[]> {
  const { channels, threads, optOuts, work } = deps.collections;
  const withheld = await channels.distinct('_id', { withheldAt: { $exists: true } });
  const hidden = new Set(await threads.distinct('_id', { channelId: { $in: withheld } }));
  const found = Object.entries(await archivedState(deps)).filter(([id]) => !hidden.has(id));
  const left = new Set(await optOuts.distinct('_id'));
  const marks = await work.countDocuments({ kind: { $in: ['member', 'thread', 'channel'] } });
  return [
    ...differences(Object.fromEntries(found), publicState(discord)),
    ...(await places(deps, discord)),
    ...(await messages(deps, discord)),
    ...choices(discord, left, optOutRole),
    ...(marks > 0 ? [`${marks} things are still to be built`] : []),
  ];
}

/** Forums of public threads, and their servers, that are recorded otherwise than the platform tells them. */
async function places({ collections }: IndexerDeps, { model }: DiscordDouble): Promise<string[]> {
  const told = model.publicThreads();
  const found: string[] = [];
  for (const guild of new Set(told.map((one) => one.guild))) {
    const { _id, ...server } = liveServer(presentGuild(guild));
    const recorded = await collections.servers.findOne({ _id });
    found.push(...othersIn(_id, { ...recorded }, server));
  }
  for (const channel of new Set(told.map((one) => one.channel))) {
    const category = model.channels.get(channel.parentId ?? '');
    const isSeen = category && model.permissionsOf(model.bot.id, category.id) !== 0n;
    const live = presentChannel(channel) as LiveChannel;
    const parentName = isSeen ? category.name : null;
    const { _id, ...forum } = liveChannel(live, channel.guildId, parentName);
    const recorded = await collections.channels.findOne({ _id });
    found.push(...othersIn(_id, { ...recorded }, forum));
  }
  return found;
}

/** Public messages that are recorded otherwise than the platform tells them. */
async function messages({ collections }: IndexerDeps, { model }: DiscordDouble): Promise<string[]> {
  const viewer = { model, links: UNSIGNED, seesContent: true };
  const told = new Map(
    model.publicThreads().flatMap(({ thread, messages: said }) =>
      said.map((one) => {
        const context = { threadId: thread.id, asOf: 0, roles: new Map<string, LiveRole>() };
        const message = liveMessage(presentMessage(viewer, one), context);
        return [one.id, message] as const;
      }),
    ),
  );
  const isKept = { _id: { $in: [...told.keys()] }, deleted: { $ne: true } };
  const known = await collections.messages.find(isKept).toArray();
  return known.flatMap((record) => {
    const message = told.get(record._id);
    if (!message) return [`${record._id} should not be recorded`];
    return othersIn(record._id, factsOf(record), factsOf(message));
  });
}

/** Links to files. They are not compared. */
const UNSIGNED = {
  sign: () => 'https://cdn.discordapp.com/attachments/1/2/file',
} as unknown as Links;

/**
 * What the platform tells of a message at any time. Names are left out: they stay as they were when they were told. So
 * are forwarded copies, as those of deleted messages are emptied.
 */
function factsOf(message: SourceMessage): Record<string, unknown> {
  const { type, content, editedAt, pinned, attachments, embeds, stickers, reactions } = message;
  const counts = reactions.map(({ emoji: { id, name }, count }) => `${id ?? name} ${count}`);
  return {
    type,
    // The event of a new poll tells no votes, and its history tells that there are none.
    content: content.replaceAll(' (0)', ''),
    editedAt,
    pinned,
    files: attachments.map(({ url: _url, ...file }) => file),
    embeds,
    stickers: stickers.map(({ id }) => id),
    reactions: counts.sort().join(', '),
    mentions: message.mentions.map(({ id }) => id),
    command: message.interaction?.id,
  };
}

/** The fields that say something else than they should, as lines. */
function othersIn(
  id: string,
  found: Record<string, unknown>,
  expected: Record<string, unknown>,
): string[] {
  return Object.keys(expected)
    .filter((name) => !same(found[name], expected[name]))
    .map((name) => {
      const [is, should] = [found[name], expected[name]].map((value) => JSON.stringify(value));
      return `${id} has ${name} ${is}, not ${should}`;
    });
}

/** Authors of public messages who are left out without an opt-out role, or are not left out in spite of one. */
function choices(
  { model }: DiscordDouble,
  left: ReadonlySet<string>,
  optOutRole: string,
): string[] {
  const places = model.publicThreads();
  const authors = new Map(
    places.flatMap(({ guild, messages }) =>
      messages
        .filter(({ webhook }) => !webhook)
        .map(({ authorId }) => [memberId(guild.id, authorId), { guild, authorId }] as const),
    ),
  );
  return [...authors].flatMap(([id, { guild, authorId }]) => {
    const roleIds = guild.members.get(authorId)?.roleIds;
    if (!roleIds) return [];
    const carries = roleIds.some((roleId) => guild.roles.get(roleId)?.name === optOutRole);
    if (carries === left.has(id)) return [];
    return [`${id} is ${carries ? 'not left out' : 'left out'}`];
  });
}
