import { groupBy } from '../../../../shared/platform/groupBy.js';
import { latestVersion } from '../../stores/nextVersion.js';
import { within } from '../../records/idWindow.js';
import type { Difference } from '../difference.js';
import { indexedDocuments, type FoundDocument } from '../indexedDocuments.js';
import type { ExpectedThread } from './expectThreads.js';
import {
  differenceOf,
  isResting,
  resting,
  type ThreadCheck,
  type ThreadLook,
} from './threadLook.js';

const MISSING = 'is missing';

/**
 * Compares the search documents of threads with every index that must be complete. A document that the index has
 * refused may be missing, but no other one may be in its place. Also looks for documents that must not be found,
 * because their thread or message is hidden or not recorded.
 */
export const checkDocuments: ThreadCheck = async (look) => {
  const refused = await refusedDocuments(look);
  look.tally('refused', refused.size);
  const found: Difference[] = [];
  for (const index of look.indexes) found.push(...(await checkIndex(look, index, refused)));
  return found;
};

async function checkIndex(
  look: ThreadLook,
  index: string,
  refused: ReadonlySet<string>,
): Promise<Difference[]> {
  const { deps, window, threads, tally, problems } = look;
  const seen = new Set<string>();
  const ghosts: FoundDocument[] = [];
  const note = (one: ExpectedThread, id: string, problem: string, version = 0): void => {
    if (problem === MISSING && refused.has(id)) return;
    problems.note(one, 'search.wrong', `${id} ${problem} in ${index}`, version);
  };
  for await (const page of indexedDocuments(deps.elasticsearch, index, window)) {
    tally('documents', page.length);
    // The latest version is read after the documents. So it is at least the version of each document that was written
    // properly.
    const latest = await latestVersion(deps.collections.state);
    for (const document of page) {
      const { id, kind, version } = document;
      const one = threads.get(document.threadId);
      const must = one?.documents.get(id);
      if (one && must !== undefined) {
        seen.add(id);
        const problem = problemOf(document, must, latest);
        if (problem) note(one, id, problem, version);
      } else if (!one || (isResting(one) && kind !== 'tombstone')) ghosts.push(document);
    }
  }
  for (const one of resting(look)) {
    for (const id of one.documents.keys()) if (!seen.has(id)) note(one, id, MISSING);
  }
  const byThread = groupBy(ghosts, ({ threadId }) => threadId);
  return [...byThread].map(([id, own]) => ghostDifference(look, index, id, own));
}

function problemOf(
  { kind, version, digest }: FoundDocument,
  must: string,
  latest: number,
): string | null {
  if (kind === 'tombstone') return MISSING;
  // No later write would replace it.
  if (version > latest) return `is of version ${version}, which was never given,`;
  return digest === must ? null : 'differs';
}

function ghostDifference(
  { threads }: ThreadLook,
  index: string,
  id: string,
  ghosts: readonly FoundDocument[],
): Difference {
  const more = ghosts.length === 1 ? '' : ` and ${ghosts.length - 1} more`;
  const detail = `${ghosts[0]?.id}${more} in ${index}`;
  const documents = ghosts.map(({ id: own, version }) => ({ id: own, version }));
  const one = threads.get(id);
  if (!one) return { kind: 'view.orphan', id, detail, basis: '', clue: { index, documents } };
  const above = Math.max(...ghosts.map(({ version }) => version));
  return differenceOf(one.thread, 'search.shown', detail, { above, index, documents });
}

/** The ids of documents that are in quarantine at the present version of their thread, or at a later one. */
async function refusedDocuments({ deps, window, threads }: ThreadLook): Promise<Set<string>> {
  const quarantined = await deps.collections.work
    .find({ kind: 'document', 'failure.threadId': within(window) })
    .toArray();
  const present = quarantined.filter(({ failure }) => {
    const one = threads.get(failure!.threadId ?? '');
    return failure!.revision >= (one?.thread.revision ?? 0);
  });
  return new Set(present.map(({ subject }) => subject));
}
