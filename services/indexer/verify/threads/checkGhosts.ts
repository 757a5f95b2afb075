import { groupBy } from '../../../../shared/platform/groupBy.js';
import { documentId } from '../../../../shared/store/searchIndex.js';
import type { Difference } from '../difference.js';
import { searchDocuments, type FoundDocument } from '../searchDocuments.js';
import type { ExpectedThread } from './expectThreads.js';
import { differenceOf, resting, type ThreadCheck, type ThreadLook } from './threadLook.js';

/** Looks for search documents that must not be found, because their thread or message is hidden or not recorded. */
export const checkGhosts: ThreadCheck = async (look) => {
  const found: Difference[] = [];
  for (const index of look.indexes) {
    const stored = await documentsByThread(look, index);
    for (const one of resting(look)) {
      const own = stored.get(one.thread._id) ?? [];
      const ids = expectedIds(one);
      const isRight = ({ id, kind }: FoundDocument): boolean =>
        kind === 'tombstone' || (kind !== undefined && ids.get(id) === kind);
      const ghosts = own.filter((document) => !isRight(document));
      if (ghosts.length === 0) continue;
      const above = own.reduce((most, { version }) => Math.max(most, version), 0);
      const clue = { above, ...clueOf(ghosts, index) };
      found.push(differenceOf(one.thread, 'search.shown', `${named(ghosts)} in ${index}`, clue));
    }
    for (const [id, documents] of stored) {
      if (look.threads.has(id)) continue;
      const detail = `${named(documents)} in ${index}`;
      found.push({ kind: 'view.orphan', id, detail, basis: '', clue: clueOf(documents, index) });
    }
  }
  return found;
};

async function documentsByThread(
  { deps, window, tally }: ThreadLook,
  index: string,
): Promise<Map<string, FoundDocument[]>> {
  const all: FoundDocument[] = [];
  for await (const page of searchDocuments(deps.elasticsearch, index, window)) {
    tally('documents', page.length);
    all.push(...page);
  }
  return groupBy(all, ({ threadId }) => threadId);
}

/** The documents that a thread must have, with their kinds. */
function expectedIds({ thread, views, messageIds }: ExpectedThread): Map<string, string> {
  if (!views) return new Map();
  return new Map([
    [documentId('thread', thread._id), 'thread'],
    ...messageIds.map((id) => [documentId('message', id), 'message'] as const),
  ]);
}

function named([first, ...others]: FoundDocument[]): string {
  return others.length === 0 ? `${first?.id}` : `${first?.id} and ${others.length} more`;
}

function clueOf(documents: FoundDocument[], index: string): NonNullable<Difference['clue']> {
  return { index, documents: documents.map(({ id, version }) => ({ id, version })) };
}
