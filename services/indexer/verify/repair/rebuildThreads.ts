import type { IndexerDeps } from '../../deps.js';
import { projectThread } from '../../project/projectThread.js';
import { raiseRevision } from '../../records/threadRevision.js';
import type { Difference } from '../difference.js';

const AT_ONCE = 8;

/** Builds threads again, at a revision above all that is stored of them. One that cannot be built keeps its mark. */
export async function rebuildThreads(
  { collections, ...deps }: IndexerDeps,
  found: Difference[],
): Promise<void> {
  const above = new Map<string, number>();
  for (const { id, clue } of found) {
    above.set(id, Math.max(above.get(id) ?? 0, clue?.above ?? 0));
  }
  const threads = [...above];
  for (let start = 0; start < threads.length; start += AT_ONCE) {
    await Promise.all(
      threads.slice(start, start + AT_ONCE).map(async ([threadId, floor]) => {
        await raiseRevision(collections.threads, threadId, floor);
        await projectThread({ collections, ...deps }, threadId).catch((error: unknown) => {
          deps.logger.error({ err: error, threadId }, 'A thread cannot be built');
        });
      }),
    );
  }
}
