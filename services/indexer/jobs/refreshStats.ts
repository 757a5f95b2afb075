import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import type { IndexerDeps } from '../deps.js';
import { refreshDirty } from '../project/sweep.js';
import { settle } from '../project/settle.js';
import { dirtyMember, markDirty } from '../stores/dirtyMarks.js';

const PEOPLE_AT_ONCE = 1_000;

/** Counts a server and everyone on it again, and drops its cached statistics. */
export async function refreshStats(
  deps: IndexerDeps,
  { serverId }: JobPayloads['refresh-stats'],
): Promise<{ members: number }> {
  const { members, dirty } = deps.collections;
  let counted = 0;
  let marks: string[] = [];
  for await (const { userId } of members.find({ serverId }, { projection: { userId: 1 } })) {
    counted += 1;
    marks.push(dirtyMember(serverId, userId));
    if (marks.length < PEOPLE_AT_ONCE) continue;
    await markDirty(dirty, marks);
    marks = [];
  }
  await markDirty(dirty, marks);
  await refreshDirty(deps);
  await settle(deps, { _id: { $in: [] } }, [serverId]);
  return { members: counted };
}
