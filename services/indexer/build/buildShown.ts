import type { FindCursor } from 'mongodb';
import type { SimilarView } from '../../../shared/store/views.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { nextVersion } from '../stores/nextVersion.js';
import { storeMade } from '../work/claims.js';
import type { Documents } from '../work/change.js';
import { whenFound } from '../similar/findSimilarAgain.js';
import { putBody } from './putViews.js';
import { shownLists } from './similarBodies.js';

/**
 * Stores, for each marked thread, the body that lists its similar threads, with their present titles and counts. When a
 * listed thread is gone, the marked thread is marked again, so that another similar thread is searched for.
 */
export async function buildShown(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  const { collections } = deps;
  const version = await nextVersion(collections.state);
  const threadIds = marks.map(({ subject }) => subject);
  const { texts, gone } = await shownLists(collections, threadIds);
  const store = (documents: Documents, { subject }: Mark): void => {
    putBody(documents, texts, `similar/${subject}`, version);
    if (gone.has(subject)) documents.mark('similar', subject, { due: whenFound() });
  };
  await storeMade(deps, marks, store, { similar: threadIds });
}

/** Finds the lists of similar threads in which any of these threads stands. */
export function listsNaming(
  { collections }: Pick<IndexerDeps, 'collections'>,
  threadIds: string[],
): FindCursor<Pick<SimilarView, '_id' | 'similarTo'>> {
  return collections.similar.find(
    { similarTo: { $in: threadIds } },
    { projection: { similarTo: 1 } },
  );
}
