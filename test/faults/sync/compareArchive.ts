import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { memberId } from '../../../shared/store/optOuts.js';
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
    ...(await reactions(deps, discord)),
    ...choices(discord, left, optOutRole),
    ...(marks > 0 ? [`${marks} things are still to be built`] : []),
  ];
}

/** Messages whose counts of reactions differ. */
async function reactions(
  { collections }: IndexerDeps,
  { model }: DiscordDouble,
): Promise<string[]> {
  const told = new Map(
    model.publicThreads().flatMap(({ messages }) =>
      messages.map((one) => {
        const counts = one.reactions.map(({ emoji, userIds }) => [emoji, userIds.size] as const);
        return [one.id, inWords(counts)] as const;
      }),
    ),
  );
  const known = await collections.messages
    .find({ _id: { $in: [...told.keys()] }, deleted: { $ne: true } })
    .toArray();
  return known.flatMap(({ _id, reactions: counted }) => {
    const found = inWords(counted.map(({ emoji, count }) => [emoji, count] as const));
    return found === told.get(_id) ? [] : [`${_id} has reactions ${found}, not ${told.get(_id)}`];
  });
}

function inWords(counts: (readonly [{ id: string | null; name: string }, number])[]): string {
  const words = counts.map(([{ id, name }, count]) => `${id ?? name} ${count}`);
  return words.sort().join(', ');
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
