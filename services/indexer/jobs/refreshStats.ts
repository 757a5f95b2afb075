import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import type { IndexerDeps } from '../deps.js';
import { markAllDirty } from '../project/markAllDirty.js';
import { settle } from '../project/settle.js';
import { dirtyMember } from '../stores/dirtyMarks.js';

/** Counts a server and everyone on it again, and drops its cached statistics. */
export async function refreshStats(
  deps: IndexerDeps,
  { serverId }: JobPayloads['refresh-stats'],
): Promise<{ members: number }> {
  const { members, dirty } = deps.collections;
  const everyone = members.find({ serverId }, { projection: { userId: 1 } });
  const counted = await markAllDirty(dirty, everyone, ({ userId }) =>
    dirtyMember(serverId, userId),
  );
  await settle(deps, { _id: { $in: [] } }, [serverId]);
  return { members: counted };
}
