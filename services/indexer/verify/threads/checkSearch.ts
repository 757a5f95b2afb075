import { documentId } from '../../../../shared/store/searchIndex.js';
import type { Difference } from '../difference.js';
import { within } from '../idWindow.js';
import { searchDocuments, type FoundDocument } from '../searchDocuments.js';
import type { ExpectedThread } from './expectThreads.js';
import { differenceOf, isResting, type ThreadCheck } from './threadLook.js';

/**
 * Every index that is searched or kept beside: a document for each listed thread and its messages, but for those that are
 * set aside because the index refused them as they are, and no other.
 */
export const checkSearch: ThreadCheck = async (look) => {
  const found: Difference[] = [];
  const refused = await refusedDocuments(look);
  look.tally('refused', refused.size);
  for (const index of look.indexes) {
    const stored = await documentsByThread(look, index);
    for (const one of look.threads.values()) {
      if (!isResting(one)) continue;
      found.push(...judgeDocuments(one, stored.get(one.thread._id) ?? [], index, refused));
    }
    for (const [id, documents] of stored) {
      if (look.threads.has(id)) continue;
      const detail = `${named(documents)} in ${index}`;
      found.push({
        kind: 'orphan.document',
        id,
        detail,
        basis: '',
        clue: clueOf(documents, index),
      });
    }
  }
  return found;
};

async function documentsByThread(
  { deps, window, tally }: Parameters<ThreadCheck>[0],
  index: string,
): Promise<Map<string, FoundDocument[]>> {
  const byThread = new Map<string, FoundDocument[]>();
  for await (const page of searchDocuments(deps.elasticsearch, index, window)) {
    tally('documents', page.length);
    for (const document of page) {
      const own = byThread.get(document.threadId);
      if (own) own.push(document);
      else byThread.set(document.threadId, [document]);
    }
  }
  return byThread;
}

/** Documents that are set aside at the present revision of their thread. */
async function refusedDocuments({
  deps,
  window,
  threads,
}: Parameters<ThreadCheck>[0]): Promise<Set<string>> {
  const aside = await deps.collections.quarantine
    .find({ kind: 'document', threadId: within(window) })
    .toArray();
  const present = aside.filter(
    ({ threadId, revision }) => threads.get(threadId ?? '')?.thread.revision === revision,
  );
  return new Set(present.map(({ subject }) => subject));
}

function judgeDocuments(
  one: ExpectedThread,
  stored: FoundDocument[],
  index: string,
  refused: ReadonlySet<string>,
): Difference[] {
  const { thread, count, item } = one;
  const kinds = new Map<string, 'thread' | 'message'>(
    item
      ? [
          [documentId('thread', thread._id), 'thread'],
          ...count.ids.map((id) => [documentId('message', id), 'message'] as const),
        ]
      : [],
  );
  const shown = stored.filter(({ kind }) => kind !== 'tombstone');
  const isRight = ({ id, kind }: FoundDocument) => kind !== undefined && kinds.get(id) === kind;
  const right = shown.filter(isRight);
  const present = new Set(right.map(({ id }) => id));
  const missing = [...kinds.keys()].filter((id) => !present.has(id) && !refused.has(id));
  const stale = right.filter(({ version }) => version !== thread.revision);
  const ghosts = shown.filter((document) => !isRight(document));
  const above = stored.reduce((most, { version }) => Math.max(most, version), 0);
  const differ = (kind: Difference['kind'], which: { id: string }[], more?: Difference['clue']) =>
    which.length === 0
      ? []
      : [differenceOf(one, kind, `${named(which)} in ${index}`, { above, ...more })];
  return [
    ...differ(
      'search.missing',
      missing.map((id) => ({ id })),
    ),
    ...differ('search.stale', stale),
    ...differ('search.ghost', ghosts, clueOf(ghosts, index)),
  ];
}

function named(documents: { id: string }[]): string {
  const [first, ...others] = documents;
  return others.length === 0 ? `${first?.id}` : `${first?.id} and ${others.length} more`;
}

function clueOf(documents: FoundDocument[], index: string): NonNullable<Difference['clue']> {
  return { index, documents: documents.map(({ id, version }) => ({ id, version })) };
}
