import { findAllGathered } from '../../../shared/store/gather.js';
import type { Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { nextVersion } from '../stores/nextVersion.js';
import { storeMade } from '../work/claims.js';
import { whenFound } from '../similar/findSimilarAgain.js';
import { putBodies } from './putViews.js';
import { shownLists } from './similarBodies.js';

/**
 * Stores the bodies that show the threads similar to some, as those stand in the lists now. In place of one that is gone
 * another is looked for.
 */
export async function buildShown(deps: IndexerDeps, marks: Mark[]): Promise<void> {
  const { collections } = deps;
  const version = await nextVersion(collections.state);
  const threadIds = marks.map(({ subject }) => subject);
  const { texts, outdated } = await shownLists(collections, threadIds);
  await storeMade(deps, marks, (documents, { subject }) => {
    const name = `similar/${subject}`;
    putBodies(documents, new Map([[name, texts.get(name) ?? null]]), version);
    if (outdated.includes(subject)) documents.mark('similar', subject, { due: whenFound() });
  });
  deps.announcer.announce({ similar: threadIds });
}

/** Threads whose lists name a thread. */
export async function threadsShowing(
  { collections }: Pick<IndexerDeps, 'collections'>,
  threadId: string,
): Promise<string[]> {
  const views = await findAllGathered(collections.similar, 'similarTo', threadId, {
    fields: ['_id'],
  });
  return views.map(({ _id }) => _id);
}
