import { isDeepStrictEqual } from 'node:util';
import { NEVER_CHECKED, syncOf } from '../../../shared/store/syncRecords.js';
import type { LoadedServer, SyncDeps } from './syncDeps.js';

/**
 * Compares the roles that opt out now with those by which the members of a server were judged. Where they differ, it
 * notes that the platform is to be asked again for the roles of all members. `deps.servers` must hold the new roles
 * already, so that all later judgements go by these.
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
