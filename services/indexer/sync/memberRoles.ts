import { PlatformRefused } from '../../../shared/discordApi/platformErrors.js';
import { memberRequest } from '../../../shared/discordApi/requests.js';
import { forEachAtOnce } from '../../../shared/platform/forEachAtOnce.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import { memberId } from '../../../shared/store/optOuts.js';
import { NEVER_CHECKED, syncOf } from '../../../shared/store/syncRecords.js';
import { isPermanent } from '../permanentErrors.js';
import { noteRoles, type ToldRoles } from './noteRoles.js';
import type { LoadedServer, SyncDeps } from './syncDeps.js';

type Deps = Pick<
  SyncDeps,
  'collections' | 'commit' | 'servers' | 'members' | 'turns' | 'platform' | 'signal' | 'logger'
>;

/**
 * Authors of one page of messages who are asked for at once. Many threads are fetched at once, and a look at the server
 * asks for the bot's own roles by the same route: it must not wait behind all their authors.
 */
const AT_ONCE = 4;

/** Somebody on a server. */
export interface Member {
  serverId: string;
  userId: string;
}

/**
 * Asks for the roles of those authors on a server of whom nothing is known yet, so that nothing is recorded of somebody
 * who may be left out. On a server without a role of OPT_OUT_ROLE nobody is asked for.
 */
export async function learnRoles(
  deps: Deps,
  { serverId, optOutRoles }: Pick<LoadedServer, 'serverId' | 'optOutRoles'>,
  authorIds: readonly string[],
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
  // What was noted meanwhile is newer.
  for (const id of asked) {
    if (deps.members.get(id) === undefined) deps.members.set(id, out.includes(id));
  }
  const never = unknown.filter((userId) => !asked.includes(memberId(serverId, userId)));
  await forEachAtOnce(never, AT_ONCE, (userId) => readRoles(deps, { serverId, userId }));
}

/**
 * Asks for somebody's roles, and notes them. Of somebody who is not on the server nothing is told: who was left out
 * when they went stays left out.
 */
export function readRoles(deps: Deps, member: Member): Promise<void> {
  const { serverId, userId } = member;
  return deps.turns(memberId(serverId, userId), () => readAndNote(deps, member));
}

async function readAndNote(deps: Deps, { serverId, userId }: Member): Promise<void> {
  const checkedAt = new Date();
  const members = syncOf(deps.collections.sync, 'member');
  const _id = memberId(serverId, userId);
  const isErased = async () => (await erasedPeople(deps.collections)).has(userId);
  if (await isErased()) {
    await members.deleteOne({ _id });
    return;
  }
  try {
    const request = memberRequest(serverId, userId);
    const { value, asOf } = await deps.platform.get(request, deps.signal);
    await noteRoles(deps, { serverId, userId, roleIds: value.roles, asOf });
  } catch (error) {
    if (!(error instanceof PlatformRefused) || error.status !== 404) throw error;
    const isOut = (await deps.collections.optOuts.findOne({ _id })) !== null;
    deps.members.set(_id, isOut);
  }
  // The answer may have taken long, and their erasure may have removed this note meanwhile.
  if (await isErased()) return;
  // Other roles opt out since they were judged: they are to be asked for again.
  if (!deps.members.has(_id)) return;
  await members.updateOne(
    { _id },
    { $set: { checkedAt }, $setOnInsert: { kind: 'member', serverId, userId, asOf: 0 } },
    { upsert: true },
  );
}

/**
 * Notes roles that an event tells. After a session was resumed, an event may come again that was overtaken by others
 * long ago. So when it would show somebody again who is left out, their roles are asked for, and the answer counts.
 * Of one person all are noted one after another. Otherwise, while a first note is being stored, a second could be
 * skipped since it tells what was known before the first.
 */
export async function noteRolesOfEvent(deps: Deps, told: ToldRoles): Promise<void> {
  const { serverId, userId } = told;
  const named = deps.servers.get(serverId)?.optOutRoles;
  if (!named || named.size === 0) return;
  await deps.turns(memberId(serverId, userId), () => noteOrRead(deps, told));
}

async function noteOrRead(deps: Deps, told: ToldRoles): Promise<void> {
  if (!(await wouldShow(deps, told))) return noteRoles(deps, told);
  const { serverId, userId } = told;
  try {
    await readAndNote(deps, { serverId, userId });
  } catch (error) {
    if (!isPermanent(error)) throw error;
    deps.logger.warn({ err: error, userId }, 'The roles of a member cannot be read');
    // They stay left out. They are asked for once more at once, and then as everybody is.
    await syncOf(deps.collections.sync, 'member').updateOne(
      { _id: memberId(serverId, userId) },
      { $set: { checkedAt: NEVER_CHECKED } },
    );
  }
}

/** Whether somebody is left out who carries none of OPT_OUT_ROLE by what an event tells. */
async function wouldShow(
  { servers, members, collections }: Deps,
  { serverId, userId, roleIds }: ToldRoles,
): Promise<boolean> {
  const named = servers.get(serverId)?.optOutRoles;
  if (!named || named.size === 0 || roleIds.some((id) => named.has(id))) return false;
  const _id = memberId(serverId, userId);
  return members.get(_id) ?? (await collections.optOuts.findOne({ _id })) !== null;
}
