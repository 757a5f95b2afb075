import type { JobPayloads } from '../../../shared/jobs/jobs.js';
import { batches } from '../../../shared/platform/batches.js';
import { setMarks } from '../work/claims.js';
import type { IndexerDeps } from '../deps.js';
import { settleAndRefresh } from './removal.js';

/** Counts a server and everyone on it again, and drops its cached statistics. */
export async function refreshStats(
  deps: IndexerDeps,
  { serverId }: JobPayloads['refresh-stats'],
): Promise<{ members: number }> {
  const { members } = deps.collections;
  const causes = [`refresh-stats/${serverId}`];
  let counted = 0;
  const everyone = members.find({ serverId }, { projection: { userId: 1 } });
  for await (const batch of batches(everyone)) {
    await setMarks(
      deps,
      'person',
      batch.map(({ userId }) => userId),
      { causes },
    );
    counted += batch.length;
  }
  await setMarks(deps, 'server', [serverId], { causes });
  await settleAndRefresh(deps, causes, [serverId]);
  return { members: counted };
}
