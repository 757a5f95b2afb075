import { isDeepStrictEqual } from 'node:util';
import { NEVER_CHECKED, syncOf } from '../../../shared/store/syncRecords.js';
import type { LoadedServer, SyncDeps } from './syncDeps.js';

/**
 * If the roles that opt out are not those by which the members of a server were judged, notes that the roles of all of
 * its members are to be asked for again. `deps.servers` must hold the new roles already, so that all later judgements
 * go by these.
 */
export async function judgeMembersAgain(
  { collections: { sync }, members }: Pick<SyncDeps, 'collections' | 'members'>,
  { serverId, optOutRoles }: Pick<LoadedServer, 'serverId' | 'optOutRoles'>,
): Promise<void> {
  const servers = syncOf(sync, 'server');
  const roleIds = [...optOutRoles].sort();
  const known = await servers.findOne({ _id: serverId });
  if (isDeepStrictEqual(known?.optOutRoles, roleIds)) return;
  for (const id of members.keys()) if (id.startsWith(`${serverId}/`)) members.delete(id);
  const unchecked = { $set: { checkedAt: NEVER_CHECKED } };
  await syncOf(sync, 'member').updateMany({ kind: 'member', serverId }, unchecked);
  await servers.updateOne({ _id: serverId }, { $set: { optOutRoles: roleIds } });
}
