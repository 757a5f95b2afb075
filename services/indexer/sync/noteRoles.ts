import { isDeepStrictEqual } from 'node:util';
import { memberId } from '../../../shared/store/optOuts.js';
import type { SyncMember } from '../../../shared/store/syncRecords.js';
import { commitHeld } from './commitHeld.js';
import type { LoadedServer, SyncDeps } from './syncDeps.js';

/** The roles of a person on a server, and the moment at which they were told. */
export interface ToldRoles {
  serverId: string;
  userId: string;
  roleIds: readonly string[];
  asOf: number;
  /** When the platform was asked for them; absent where an event told them, which counts as now. */
  checkedAt?: Date;
  /** The roles of the server, if they were asked for after the person's. */
  asked?: Pick<LoadedServer, 'asOf' | 'optOutRoles' | 'roles'>;
}

/**
 * Records which roles a member has on a server. A member with a role of OPT_OUT_ROLE is left out of the server. A
 * member without one is shown. But where a moderator has deleted the role by which a member was left out, they stay
 * left out.
 *
 * Nothing changes where the server has no role of OPT_OUT_ROLE, or where something that was told later is recorded. For
 * members who are not left out and have no such role, the database is not asked. So this may be called for every event.
 *
 * Resolves with whether these roles were recorded, together with the time of the check.
 */
export async function noteRoles(
  deps: Pick<SyncDeps, 'commit' | 'signal' | 'servers' | 'members'>,
  told: ToldRoles,
): Promise<boolean> {
  const { serverId, userId, asOf, checkedAt = new Date() } = told;
  const _id = memberId(serverId, userId);
  const judged = judge(deps, told);
  if (judged === null || (judged.carried.length === 0 && deps.members.get(_id) === false))
    return false;
  const member: SyncMember = { _id, kind: 'member', serverId, userId, asOf, checkedAt };
  const noted = await noteChoice(deps, member, () => judge(deps, told));
  if (noted === null) return false;
  // While the choice was being stored, a look at the server may have found other opt-out roles. That look has then
  // forgotten all members, so that they are judged again. This judgement went by the old roles, so it is not remembered.
  if (deps.servers.get(serverId) === noted.looked) deps.members.set(_id, noted.isOut);
  return noted.isRecorded;
}

/** Whether a member opts out, as far as the last look at the server tells. */
interface Judged {
  /** What that look has found. */
  looked: LoadedServer;
  /** The ids of the roles of OPT_OUT_ROLE that the member has. */
  carried: string[];
  /** Whether the server has a role. */
  isThere: (roleId: string) => boolean;
}

/** Judges a member by what is known of the server now. Returns null where nobody can be judged. */
function judge(
  { servers }: Pick<SyncDeps, 'servers'>,
  { serverId, roleIds, asked }: ToldRoles,
): Judged | null {
  const looked = servers.get(serverId);
  if (!looked) return null;
  const { optOutRoles, roles } = asked && asked.asOf > looked.asOf ? asked : looked;
  if (looked.optOutRoles.size === 0 && optOutRoles.size === 0) return null;
  const carried = roleIds.filter((id) => optOutRoles.has(id)).sort();
  // While no role opts out, everybody stays as they are.
  const isThere = (roleId: string): boolean => optOutRoles.size > 0 && roles.has(roleId);
  return { looked, carried, isThere };
}

/** Whether a member is left out, whether that was recorded just now, and by which look at the server. */
interface Noted extends Pick<Judged, 'looked'> {
  isOut: boolean;
  isRecorded: boolean;
}

/**
 * Resolves with whether the member is left out now, which may come from roles that were told later. The member is
 * judged once more within the change itself, because a look at the server may have found other roles meanwhile. Resolves
 * with null where the member was erased, and where nobody can be judged any more, because the server was suspended
 * meanwhile.
 */
async function noteChoice(
  deps: Pick<SyncDeps, 'commit' | 'signal'>,
  member: SyncMember,
  judgeNow: () => Judged | null,
): Promise<Noted | null> {
  const { _id, serverId, userId, asOf } = member;
  return commitHeld(deps, {
    reads: { sync: [_id], optOuts: [_id], state: ['optOuts', 'erasures'] },
    decide(documents) {
      if (documents.erased().has(userId)) return null;
      const known = documents.get('sync', _id) as SyncMember | null;
      const record = documents.get('optOuts', _id);
      const wasOut = record !== null;
      const judged = judgeNow();
      if (judged === null) return null;
      const { looked, carried, isThere } = judged;
      if (known && known.asOf >= asOf) return { looked, isOut: wasOut, isRecorded: false };
      documents.put('sync', member);
      const before = record?.roleIds ?? [];
      // Where none of the roles exists any more, a moderator has deleted them. The member did not give them up.
      const areDeleted = before.length > 0 && !before.some(isThere);
      const isOut = carried.length > 0 || areDeleted;
      if (carried.length > 0 && !isDeepStrictEqual(carried, before)) {
        documents.put('optOuts', { _id, serverId, userId, roleIds: carried });
      }
      if (isOut === wasOut) return { looked, isOut, isRecorded: true };
      if (!isOut) documents.remove('optOuts', _id);
      const state = documents.get('state', 'optOuts');
      const version = state?._id === 'optOuts' ? state.version + 1 : 1;
      documents.put('state', { _id: 'optOuts', version });
      documents.mark('member', _id, { causes: isOut ? [`opt-out/${_id}`] : [] });
      return { looked, isOut, isRecorded: true };
    },
  });
}
