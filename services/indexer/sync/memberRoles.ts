import { isNoMember } from '../../../shared/discordApi/platformErrors.js';
import { guildRequest, memberRequest } from '../../../shared/discordApi/requests.js';
import { forEachAtOnce } from '../../../shared/platform/forEachAtOnce.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import { memberId } from '../../../shared/store/optOuts.js';
import { NEVER_CHECKED, syncOf } from '../../../shared/store/syncRecords.js';
import { isPermanent } from '../permanentErrors.js';
import { forgetMember } from '../records/forgetAccount.js';
import { noteRoles, type ToldRoles } from './noteRoles.js';
import { rolesOf, type LoadedServer, type SyncDeps } from './syncDeps.js';

/**
 * How many authors of one page of messages are asked for at once. Many threads are fetched at once. A look at the
 * server asks for the bot's own roles by the same route, and must not wait behind all of their authors.
 */
const AT_ONCE = 4;

/** A person on a server. */
export interface Member {
  serverId: string;
  userId: string;
}

/**
 * Asks for the roles of the authors on a server of whom nothing is known yet. So nothing is recorded of a person before
 * it is known whether they are left out. On a server without a role of OPT_OUT_ROLE, nobody is asked for. `read` asks
 * for the roles of one author.
 */
export async function learnRoles(
  deps: SyncDeps,
  { serverId, optOutRoles }: Pick<LoadedServer, 'serverId' | 'optOutRoles'>,
  authorIds: readonly string[],
  read: (deps: SyncDeps, member: Member) => Promise<unknown> = readRoles,
): Promise<void> {
  if (optOutRoles.size === 0) return;
  const unknown = [...new Set(authorIds)].filter(
    (userId) => deps.members.get(memberId(serverId, userId)) === undefined,
  );
  if (unknown.length === 0) return;
  const ids = unknown.map((userId) => memberId(serverId, userId));
  const [asked, out] = await Promise.all([
    syncOf(deps.collections.sync, 'member').distinct('_id', {
      _id: { $in: ids },
      checkedAt: { $gt: NEVER_CHECKED },
    }),
    deps.collections.optOuts.distinct('_id', { _id: { $in: ids } }),
  ]);
  // Roles that were noted meanwhile are newer.
  for (const id of asked) {
    if (deps.members.get(id) === undefined) deps.members.set(id, out.includes(id));
  }
  const never = unknown.filter((userId) => !asked.includes(memberId(serverId, userId)));
  await forEachAtOnce(never, AT_ONCE, async (userId) => {
    await read(deps, { serverId, userId });
  });
}

/**
 * Asks for a person's roles, and notes them. The platform tells no roles of a person who has left the server. A person
 * who was left out before that stays left out.
 */
export function readRoles(deps: SyncDeps, member: Member): Promise<void> {
  const { serverId, userId } = member;
  return deps.turns(memberId(serverId, userId), () => readAndNote(deps, member));
}

/**
 * Asks for a person's roles. Where the platform refuses to tell the roles, or tells them wrongly, it logs that, and
 * resolves with the error; else with null.
 */
export async function readRolesIfTold(deps: SyncDeps, member: Member): Promise<Error | null> {
  try {
    await readRoles(deps, member);
    return null;
  } catch (error) {
    if (!isPermanent(error)) throw error;
    deps.logger.warn({ err: error, userId: member.userId }, 'The roles of a member cannot be read');
    return error;
  }
}

async function readAndNote(deps: SyncDeps, { serverId, userId }: Member): Promise<void> {
  const checkedAt = new Date();
  if ((await erasedPeople(deps.collections)).has(userId)) {
    await forgetMember(deps.collections, userId);
    return;
  }
  try {
    const request = memberRequest(serverId, userId);
    const { value, asOf } = await deps.platform.get(request, deps.signal);
    const told = { serverId, userId, roleIds: value.roles, asOf, checkedAt };
    await noteRoles(deps, (await needsServer(deps, told)) ? await withServer(deps, told) : told);
  } catch (error) {
    if (!isNoMember(error)) throw error;
    // What was told at the time 0 changes nothing. So only the time of the check is recorded.
    await noteRoles(deps, { serverId, userId, roleIds: [], asOf: 0, checkedAt });
  }
}

/** Asks for the roles of the server, too. */
async function withServer(deps: SyncDeps, told: ToldRoles): Promise<ToldRoles> {
  const { value, asOf } = await deps.platform.get(guildRequest(told.serverId), deps.signal);
  return { ...told, asked: { asOf, ...rolesOf(value, deps) } };
}

/**
 * Notes roles that an event tells. After a session was resumed, an old event may come again that later events have
 * overtaken. So when an event would show a person again who is left out, or tells a role that the last look at the
 * server did not find, the platform is asked for the person's roles, and its answer counts.
 *
 * The notes of one person are made one after the other. Otherwise, while a first note is being stored, a second one
 * could be skipped because it tells the state before the first.
 */
export async function noteRolesOfEvent(deps: SyncDeps, told: ToldRoles): Promise<void> {
  const _id = memberId(told.serverId, told.userId);
  const isNoted = await deps.turns(_id, async () => {
    if (await needsServer(deps, told)) return false;
    await noteRoles(deps, told);
    return true;
  });
  if (isNoted || !(await readRolesIfTold(deps, told))) return;
  // The person stays left out. They are asked for again at once, and later in their turn.
  await syncOf(deps.collections.sync, 'member').updateOne(
    { _id },
    { $set: { checkedAt: NEVER_CHECKED } },
  );
}

/**
 * Whether the last look at the server may be too old to judge the roles of a person. There are two such cases. The
 * person carries a role that the look did not find: it may be a new one that opts out. Or the person is left out, and
 * carries no role that opts out any more: a moderator may have deleted the role after the look. Then the person did not
 * give it up.
 */
async function needsServer(
  { servers, members, optOutEntries, collections }: SyncDeps,
  { serverId, userId, roleIds }: ToldRoles,
): Promise<boolean> {
  const server = servers.get(serverId);
  if (!server || optOutEntries.length === 0) return false;
  if (roleIds.some((id) => !server.roles.has(id))) return true;
  const named = server.optOutRoles;
  if (named.size === 0 || roleIds.some((id) => named.has(id))) return false;
  const _id = memberId(serverId, userId);
  return members.get(_id) ?? (await collections.optOuts.findOne({ _id })) !== null;
}
