import type { Producer } from '../../../shared/jobs/producer.js';
import { refileLost, type WaitingWork } from '../../../shared/jobs/refileLost.js';

/**
 * Files again the jobs of all work that waits, where the queue holds no job at all. Then none of that work can have a
 * job. Returns how many jobs it has filed.
 */
export async function refileWhenIdle(
  records: WaitingWork,
  producer: Pick<Producer, 'refile' | 'counts'>,
  olderThanMs: number,
): Promise<number> {
  const { waiting, active, delayed } = await producer.counts();
  return waiting + active + delayed > 0 ? 0 : refileLost(records, producer, olderThanMs);
}
