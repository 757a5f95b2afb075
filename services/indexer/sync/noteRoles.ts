import { memberId } from '../../../shared/store/optOuts.js';
import { erasedPeople } from '../../../shared/store/erasures.js';
import type { SyncMember } from '../../../shared/store/syncRecords.js';
import type { SyncDeps } from './syncDeps.js';

/** The roles of somebody on a server, as of the moment at which they were told. */
export interface ToldRoles {
  serverId: string;
  userId: string;
  roleIds: readonly string[];
  asOf: number;
}

/**
 * Notes what the platform tells of somebody's roles. Who carries one of OPT_OUT_ROLE is left out of the server from
 * then on, and shown again once they carry none. Does nothing on a server that has no such role: what is known stays.
 * What was told earlier than what is known changes nothing. Cheap where nothing is new, so it may be called with every
 * event.
 */
export async function noteRoles(
  deps: Pick<SyncDeps, 'collections' | 'commit' | 'servers' | 'members'>,
  { serverId, userId, roleIds, asOf }: ToldRoles,
): Promise<void> {
  const judge = (): boolean | null => {
    const named = deps.servers.get(serverId)?.optOutRoles;
    return named && named.size > 0 ? roleIds.some((id) => named.has(id)) : null;
  };
  const isOut = judge();
  const _id = memberId(serverId, userId);
  if (isOut === null || deps.members.get(_id) === isOut) return;
  if ((await erasedPeople(deps.collections)).has(userId)) return;
  const told = { ...{ _id, kind: 'member' as const, serverId, userId, asOf } };
  deps.members.set(_id, await noteChoice(deps, told, judge));
}

/**
 * Resolves with whether they are left out now: something later may have been told. They are judged once more with the
 * change itself, as a look at the server may have found other roles meanwhile.
 */
async function noteChoice(
  { commit }: Pick<SyncDeps, 'commit'>,
  member: Omit<SyncMember, 'checkedAt'>,
  judge: () => boolean | null,
): Promise<boolean> {
  const { _id, serverId, userId, asOf } = member;
  return commit({
    reads: { sync: [_id], optOuts: [_id], state: ['optOuts'] },
    decide(documents) {
      const known = documents.get('sync', _id) as SyncMember | null;
      const wasOut = documents.get('optOuts', _id) !== null;
      const isOut = judge();
      if (isOut === null || (known && known.asOf >= asOf)) return wasOut;
      documents.put('sync', { ...member, checkedAt: new Date() });
      if (isOut === wasOut) return isOut;
      if (isOut) documents.put('optOuts', { _id, serverId, userId, since: new Date() });
      else documents.remove('optOuts', _id);
      const state = documents.get('state', 'optOuts');
      const version = state?._id === 'optOuts' ? state.version + 1 : 1;
      documents.put('state', { _id: 'optOuts', version });
      documents.mark('member', _id, { causes: isOut ? [`opt-out/${_id}`] : [] });
      return isOut;
    },
  });
}
