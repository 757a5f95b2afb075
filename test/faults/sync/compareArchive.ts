import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { same } from '../../../services/indexer/records/mergeFields.js';
import { liveChannel, liveServer } from '../../../services/indexer/sources/liveHeader.js';
import { liveMessage } from '../../../services/indexer/sources/liveMessage.js';
import { UNTITLED } from '../../../services/indexer/records/tombstones.js';
import type { LiveChannel, LiveRole } from '../../../shared/discordApi/answerTypes.js';
import { applyErasures } from '../../../shared/store/applyErasures.js';
import { erasedPeople, type ErasedPeople } from '../../../shared/store/erasures.js';
import type { OptOutRecord } from '../../../shared/store/optOutRecord.js';
import { memberId } from '../../../shared/store/optOuts.js';
import type { SourceMessage } from '../../../shared/store/records.js';
import type { Links } from '../../support/discord/present/links.js';
import { presentChannel } from '../../support/discord/present/presentChannel.js';
import { presentGuild } from '../../support/discord/present/presentGuild.js';
import { presentMessage } from '../../support/discord/present/presentMessage.js';
import type { PublicThread } from '../../support/discord/model/model.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { archivedState, differences, publicState, type Told } from '../../support/syncRig.js';
import { expectedPlaces, type Expected } from './expectedPlaces.js';
import type { Removed } from './operator.js';
import { optOutRoles } from './optOutRoles.js';

/** The end of a line about messages that are still to be removed. */
export const WITHHELD = 'of withheld forums';

/** What a comparison needs to know of the trial, in addition to what the platform tells. */
export interface Trialled {
  removed: Removed;
  /** The ids of those who have written in each thread. */
  writers: ReadonlyMap<string, ReadonlySet<string>>;
  /** The ids of people who must be left out, or be recorded nowhere, if they were erased. */
  quiet: ReadonlySet<string>;
}

/**
 * The differences between the archive and what everybody may see of the servers, without what the operator has removed.
 * It also lists people who are left out, or are not, contrary to their roles.
 */
export async function compareArchive(
  deps: IndexerDeps,
  discord: DiscordDouble,
  { removed, writers, quiet }: Trialled,
): Promise<string[]> {
  const { channels, threads, threadItems, optOuts, work, messages: recorded } = deps.collections;
  const expected = expectedPlaces(discord.model, removed, writers);
  const withheld = await channels.distinct('_id', { withheldAt: { $exists: true } });
  const hidden = new Set(await threads.distinct('_id', { channelId: { $in: withheld } }));
  const kept = { threadId: { $in: [...hidden] }, deleted: { $ne: true } };
  const toBeRemoved = await recorded.countDocuments(kept);
  const archived = Object.entries(await archivedState(deps)).filter(([id]) => !hidden.has(id));
  const found = Object.fromEntries(archived);
  // A thread that an erasure has removed stays away, whoever writes in it later. Nobody asks for the roles of its authors.
  const isGone = ({ thread: { id } }: PublicThread): boolean =>
    !found[id] && (expected.mayBeGone.has(id) || expected.emptied.has(id));
  const shown = expected.places.filter((place) => !isGone(place));
  const listed = await threadItems.distinct('_id', { _id: { $in: [...expected.emptied] } });
  const marks = await work.countDocuments({ kind: { $in: ['member', 'thread', 'channel'] } });
  return [
    ...differences(
      found,
      told(found, { ...expected, places: shown }, await erasedPeople(deps.collections)),
    ),
    ...listed.map((id) => `${id} is listed, although only erased people have written in it`),
    ...(await places(deps, discord, expected)),
    ...(await messages(deps, discord, expected)),
    ...choices(shown, await optOuts.find().toArray(), { removed, quiet }),
    ...(toBeRemoved > 0 ? [`There are ${toBeRemoved} messages ${WITHHELD}`] : []),
    ...(marks > 0 ? [`${marks} things are still to be built`] : []),
  ];
}

/** The state that the archive should have, as far as it is not left open. What is left open is taken from the archive. */
function told(
  found: Record<string, Told>,
  { places, mayLackTitle }: Pick<Expected, 'places' | 'mayLackTitle'>,
  erased: ErasedPeople,
): Record<string, Told> {
  const state = publicState({ model: { publicThreads: () => places } });
  for (const [id, thread] of Object.entries(state)) {
    if (found[id]?.title === UNTITLED && mayLackTitle.has(id)) thread.title = UNTITLED;
    // These texts are compared as facts of the messages.
    if (!erased.isEmpty)
      for (const one of Object.keys(thread.messages)) thread.messages[one] = null;
  }
  return state;
}

/** Forums of public threads, and their servers, that are recorded otherwise than the platform tells them. */
async function places(
  { collections }: IndexerDeps,
  { model }: DiscordDouble,
  { places: told }: Expected,
): Promise<string[]> {
  const found: string[] = [];
  const [servers, channels] = await Promise.all([
    collections.servers.find().toArray(),
    collections.channels.find().toArray(),
  ]);
  const recorded = new Map<string, object>([...servers, ...channels].map((one) => [one._id, one]));
  for (const guild of new Set(told.map((one) => one.guild))) {
    const { _id, ...server } = liveServer(presentGuild(guild));
    found.push(...othersIn(_id, { ...recorded.get(_id) }, server));
  }
  for (const { guild, channel } of new Map(told.map((one) => [one.channel, one])).values()) {
    const category = model.channels.get(channel.parentId ?? '');
    const isSeen = category && model.permissionsOf(model.bot.id, category.id) !== 0n;
    const live = presentChannel(channel) as LiveChannel;
    const parentName = isSeen ? category.name : null;
    const { _id, ...forum } = liveChannel(live, presentGuild(guild), parentName);
    found.push(...othersIn(_id, { ...recorded.get(_id) }, forum));
  }
  return found;
}

/** Public messages that are recorded otherwise than the platform tells them. */
async function messages(
  { collections }: IndexerDeps,
  { model }: DiscordDouble,
  { places: shown }: Expected,
): Promise<string[]> {
  const viewer = { model, links: UNSIGNED, seesContent: true };
  const erased = await erasedPeople(collections);
  const told = new Map(
    shown.flatMap(({ thread, messages: said }) =>
      said.map((one) => {
        const context = { threadId: thread.id, asOf: 0, roles: new Map<string, LiveRole>() };
        const message = liveMessage(presentMessage(viewer, one), context);
        return [one.id, message && applyErasures(message, erased)] as const;
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

/** Links to files. Of them, only the name of the file is compared. */
const UNSIGNED = {
  sign: (_channelId: string, { filename }: { filename: string }) =>
    `https://cdn.discordapp.com/attachments/1/2/${encodeURIComponent(filename)}`,
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

/**
 * Authors of public messages who are left out without an opt-out role, or are not left out in spite of one. Where no role
 * has the name, everybody stays as they were. Where their role was deleted, people stay left out.
 */
function choices(
  places: readonly PublicThread[],
  records: readonly OptOutRecord[],
  { removed, quiet }: Pick<Trialled, 'removed' | 'quiet'>,
): string[] {
  const left = new Map(records.map((record) => [record._id, record]));
  const authors = new Map(
    places.flatMap(({ guild, messages }) =>
      messages
        .filter(({ webhook }) => !webhook)
        .map(({ authorId }) => [memberId(guild.id, authorId), { guild, authorId }] as const),
    ),
  );
  const wrong = [...authors].flatMap(([id, { guild, authorId }]) => {
    const roleIds = guild.members.get(authorId)?.roleIds;
    const named = optOutRoles(guild);
    if (!roleIds || named.length === 0) return [];
    const record = left.get(id);
    if (named.some((role) => roleIds.includes(role.id)))
      return record ? [] : [`${id} is not left out`];
    const isByDeleted = record?.roleIds?.every((roleId) => !guild.roles.has(roleId));
    return record && !isByDeleted ? [`${id} is left out`] : [];
  });
  const isOut = (userId: string): boolean => records.some((record) => record.userId === userId);
  const wrote = [...quiet].filter((id) =>
    [...authors.values()].some(({ authorId }) => authorId === id),
  );
  return [
    ...wrong,
    ...wrote.filter((id) => !isOut(id)).map((id) => `${id} is not left out any more`),
    ...[...removed.userIds].filter(isOut).map((id) => `${id} was erased, but is left out`),
  ];
}
