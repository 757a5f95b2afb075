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
 * Nothing changes where the server has no role of OPT_OUT_ROLE. Where something that was told later is recorded, only
 * the time of the check is recorded. For members who are not left out and have no such role, an event writes nothing,
 * and the database is not asked. So this may be called for every event.
 */
export async function noteRoles(
  deps: Pick<SyncDeps, 'commit' | 'signal' | 'servers' | 'members'>,
  told: ToldRoles,
): Promise<void> {
  const { serverId, userId, checkedAt } = told;
  const _id = memberId(serverId, userId);
  const judged = judge(deps, told);
  if (judged === null) return;
  if (!checkedAt && judged.carried.length === 0 && deps.members.get(_id) === false) return;
  const noted = await noteChoice(deps, _id, told);
  // While the choice was being stored, a look at the server may have found other opt-out roles. That look has then
  // forgotten all members, so that they are judged again. This judgement went by the old roles, so it is not
  // remembered.
  if (noted && deps.servers.get(serverId) === noted.looked) deps.members.set(_id, noted.isOut);
}

/** Whether a member opts out, as far as the last look at the server tells. */
interface Judged {
  /** What that look has found. */
  looked: LoadedServer;
  /** The ids of the roles of OPT_OUT_ROLE that the member has. */
  carried: string[];
  /** Whether the server has a role. False for every role while none of them opts out. */
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

/**
 * Resolves with whether the member is left out now, which may come from roles that were told later. The member is
 * judged once more within the change itself, because a look at the server may have found other roles meanwhile.
 * Resolves with null where the member was erased, and where nobody can be judged any more, because the server was
 * suspended meanwhile.
 */
async function noteChoice(
  deps: Pick<SyncDeps, 'commit' | 'signal' | 'servers'>,
  _id: string,
  told: ToldRoles,
): Promise<{ isOut: boolean; looked: LoadedServer } | null> {
  const { serverId, userId, asOf, checkedAt } = told;
  return commitHeld(deps, {
    reads: { sync: [_id], optOuts: [_id], state: ['optOuts', 'erasures'] },
    decide(documents) {
      const judged = judge(deps, told);
      if (judged === null || documents.erased().has(userId)) return null;
      const { looked, carried, isThere } = judged;
      const known = documents.get('sync', _id) as SyncMember | null;
      const record = documents.get('optOuts', _id);
      const wasOut = record !== null;
      const knownAsOf = known?.asOf ?? 0;
      const isNews = asOf > knownAsOf;
      if (isNews || checkedAt) {
        const times = { asOf: Math.max(asOf, knownAsOf), checkedAt: checkedAt ?? new Date() };
        documents.put('sync', { _id, kind: 'member', serverId, userId, ...times });
      }
      if (!isNews) return { looked, isOut: wasOut };
      const before = record?.roleIds ?? [];
      // Where none of the roles exists any more, a moderator has deleted them. The member did not give them up.
      const areDeleted = before.length > 0 && !before.some(isThere);
      const isOut = carried.length > 0 || areDeleted;
      if (carried.length > 0 && !isDeepStrictEqual(carried, before)) {
        documents.put('optOuts', { _id, serverId, userId, roleIds: carried });
      }
      if (isOut === wasOut) return { looked, isOut };
      if (!isOut) documents.remove('optOuts', _id);
      const state = documents.get('state', 'optOuts');
      const version = state?._id === 'optOuts' ? state.version + 1 : 1;
      documents.put('state', { _id: 'optOuts', version });
      documents.mark('member', _id, { causes: isOut ? [`opt-out/${_id}`] : [] });
      return { looked, isOut };
    },
  });
}
