import type { Archive } from '../openArchive.js';
import { warn } from '../runCommand.js';

/** Warns when no indexer is connected to do the queued work. */
export async function warnWithoutIndexer({ producer }: Pick<Archive, 'producer'>): Promise<void> {
  if ((await producer.workers().catch(() => 1)) > 0) return;
  warn('No indexer is connected to the queue yet: the work waits until one is');
}
