import type { Binary } from 'mongodb';
import { bodyNames } from '../../../shared/store/bodyKinds.js';
import type { Collections } from '../../../shared/store/collections.js';
import { findAllGathered, findGathered } from '../../../shared/store/gather.js';
import type { ContributionView, ThreadItemView } from '../../../shared/store/views.js';

/** What the last build of a thread has stored, as far as the next build needs to know it. */
export interface StoredThread {
  item: ThreadItemView | null;
  contributions: ContributionView[];
  /** Which of its search documents were sent (stores/sentDocuments.ts). */
  sent: Binary | undefined;
  /** The names of its bodies that are cut into pieces. */
  cut: string[];
}

/** What is stored of a thread now. */
export async function storedThread(
  {
    threadItems,
    contributions,
    bodies,
  }: Pick<Collections, 'threadItems' | 'contributions' | 'bodies'>,
  threadId: string,
): Promise<StoredThread> {
  const fields = ['sent', 'chunks'];
  const [item, rows, ...found] = await Promise.all([
    findGathered(threadItems, threadId),
    findAllGathered(contributions, 'threadId', threadId),
    ...bodyNames('thread', threadId).map((name) => findAllGathered(bodies, '_id', name, fields)),
  ]);
  const stored = found.flat();
  const cut = stored.filter(({ chunks }) => chunks !== undefined).map(({ _id }) => _id);
  return { item, contributions: rows, sent: stored.find(({ sent }) => sent)?.sent, cut };
}
