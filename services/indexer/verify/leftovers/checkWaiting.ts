import type { AreaContext } from '../area.js';
import type { Difference } from '../difference.js';
import { lateRequests } from '../lateRequests.js';

/** Looks for what was promised long ago and is not done. */
export async function checkWaiting({ deps }: AreaContext): Promise<Difference[]> {
  const late = await lateRequests(deps.collections);
  return late.map(({ id, since }) => {
    const basis = since.toISOString();
    return { kind: 'work.waiting', id, detail: `Asked for ${basis}`, basis };
  });
}
