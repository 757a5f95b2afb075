import type { Producer } from '../../../shared/jobs/producer.js';
import { refileLost, type WaitingWork } from '../../../shared/jobs/refileLost.js';

/** Files again what waits as soon as the queue holds no job at all: then nothing that waits can have one. */
export async function refileWhenIdle(
  records: WaitingWork,
  producer: Pick<Producer, 'refile' | 'counts'>,
  olderThanMs: number,
): Promise<number> {
  const { waiting, active, delayed } = await producer.counts();
  return waiting + active + delayed > 0 ? 0 : refileLost(records, producer, olderThanMs);
}
