import { hash } from 'node:crypto';
import { Binary } from 'mongodb';
import type { Waiting } from './sendBulk.js';

/** Long enough that any two documents of an archive have different digests. */
const DIGEST_BYTES = 12;
/** The most digests that are kept of one thread. So many fit into one document of MongoDB. */
const MOST_KEPT = 500_000;

/**
 * The digests of a thread's documents that the search index holds. `has` knows what the last build has sent; `add` and
 * `noted` are about the present build.
 */
export interface SentDocuments {
  has(digest: string): boolean;
  /** Notes documents that the index holds now. */
  add(digests: readonly string[]): void;
  /** All digests that were added, for the next build; undefined where they are too many to be kept. */
  noted(): Binary | undefined;
}

/** Begins with what the last build has noted, if anything. */
export function createSentDocuments(before: Binary | undefined): SentDocuments {
  const known = new Set(before && digestsIn(before));
  const noted: string[] = [];
  return {
    has: (digest) => known.has(digest),
    add(digests) {
      for (const digest of digests) noted.push(digest);
    },
    noted() {
      if (noted.length > MOST_KEPT) return undefined;
      // Documents are noted as they are stored. Sorted, the same documents are noted in the same way by each build.
      return new Binary(Buffer.from(noted.toSorted().join(''), 'latin1'));
    },
  };
}

/** The digest of a document. It changes with the document's id or text. */
export function digestOf({ id, json }: Pick<Waiting, 'id' | 'json'>): string {
  return hash('sha256', `${id}\n${json}`, 'buffer').toString('latin1', 0, DIGEST_BYTES);
}

function digestsIn({ buffer }: Binary): string[] {
  const all = Buffer.from(buffer).toString('latin1');
  return Array.from({ length: all.length / DIGEST_BYTES }, (_, n) =>
    all.slice(n * DIGEST_BYTES, (n + 1) * DIGEST_BYTES),
  );
}
