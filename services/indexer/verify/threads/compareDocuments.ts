import type { Client } from '@elastic/elasticsearch';
import type { VerifiedThread } from './verifiedThread.js';
import { documentIdOf, type SearchDocument } from '../../../../shared/store/searchIndex.js';
import { differingFields } from '../differingFields.js';

/** Compares search documents with every index that must be complete. */
export interface DocumentComparer {
  /** Takes documents of a thread. Gathered documents are compared whenever there are enough of them. */
  add(thread: VerifiedThread, documents: readonly SearchDocument[]): Promise<void>;
  /** Compares the remaining documents. */
  end(): Promise<void>;
}

/** How many documents one request compares at most, and about how many characters they hold. */
const MOST_DOCUMENTS = 1_000;
const MOST_CHARACTERS = 4_000_000;

interface Expected {
  thread: VerifiedThread;
  document: SearchDocument;
}

/** How a document differs. `version` is the stored version; 0 where there is none. */
export interface DocumentProblem {
  id: string;
  detail: string;
  version: number;
}

/**
 * Makes a comparer. It calls `onDiffering` for each document that an index lacks, or holds with other fields, or with a
 * version above `latestVersion`. No later write would replace a document with such a version.
 */
export function compareDocuments(
  elasticsearch: Client,
  indexes: readonly string[],
  latestVersion: () => Promise<number>,
  onDiffering: (thread: VerifiedThread, problem: DocumentProblem) => void,
): DocumentComparer {
  let gathered: Expected[] = [];
  let characters = 0;
  const compareGathered = async (): Promise<void> => {
    const some = gathered;
    gathered = [];
    characters = 0;
    if (some.length === 0) return;
    for (const index of indexes)
      await compareIn({ elasticsearch, index, latestVersion }, some, onDiffering);
  };
  return {
    async add(thread, documents) {
      gathered.push(...documents.map((document) => ({ thread, document })));
      characters += documents.reduce((sum, document) => sum + weightOf(document), 0);
      if (gathered.length >= MOST_DOCUMENTS || characters >= MOST_CHARACTERS) {
        await compareGathered();
      }
    },
    end: compareGathered,
  };
}

async function compareIn(
  {
    elasticsearch,
    index,
    latestVersion,
  }: { elasticsearch: Client; index: string; latestVersion: () => Promise<number> },
  some: readonly Expected[],
  onDiffering: Parameters<typeof compareDocuments>[3],
): Promise<void> {
  const { docs } = await elasticsearch.mget<Record<string, unknown>>({
    index,
    ids: some.map(({ document }) => documentIdOf(document)),
  });
  // The latest version is read after the documents. So it is at least the version of each document that was written
  // properly.
  const latest = await latestVersion();
  for (const [n, { thread, document }] of some.entries()) {
    const problem = problemOf(docs[n]!, document, latest);
    if (problem === undefined) continue;
    const id = documentIdOf(document);
    const version = '_version' in docs[n]! ? (docs[n]._version ?? 0) : 0;
    onDiffering(thread, { id, detail: `${id} ${problem} in ${index}`, version });
  }
}

type Found = Awaited<ReturnType<Client['mget']>>['docs'][number];

function problemOf(found: Found, document: SearchDocument, latest: number): string | undefined {
  const source =
    'found' in found ? (found._source as Record<string, unknown> | undefined) : undefined;
  if (!('found' in found) || !source || source['kind'] === 'tombstone') return 'is missing';
  const version = found._version ?? 0;
  if (version > latest) return `is of version ${version}, which was never given,`;
  // The index does not keep the stretches. Their hash tells whether they are the same.
  const fields = differingFields(source, document, ['stretches']);
  return fields.length === 0 ? undefined : `differs (${fields.join(', ')})`;
}

function weightOf(document: SearchDocument): number {
  if (document.kind === 'message') return document.content.length;
  if (document.kind === 'tombstone') return 0;
  return document.preview.length;
}
