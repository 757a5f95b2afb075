import { hash } from 'node:crypto';
import { Binary } from 'mongodb';
import type { Waiting } from './sendBulk.js';

/** Enough to tell every two documents of an archive apart. */
const DIGEST_BYTES = 12;
/** Digests kept of one thread: they fit into one document of MongoDB. */
const MOST_KEPT = 500_000;

/** Which documents of a thread the search index holds, as the build before has sent them, by their digests. */
export interface SentDocuments {
  has(digest: string): boolean;
  /** Notes documents that the index holds now. */
  add(digests: readonly string[]): void;
  /** All that are noted, for the next build; undefined for a thread that has too many. */
  noted(): Binary | undefined;
}

/** What is known from the build before, which may have left nothing. */
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
      return new Binary(Buffer.from(noted.join(''), 'latin1'));
    },
  };
}

/** Tells whether a document is as it was. */
export function digestOf({ id, json }: Pick<Waiting, 'id' | 'json'>): string {
  return hash('sha256', `${id}\n${json}`, 'buffer').toString('latin1', 0, DIGEST_BYTES);
}

function digestsIn({ buffer }: Binary): string[] {
  const all = Buffer.from(buffer).toString('latin1');
  return Array.from({ length: all.length / DIGEST_BYTES }, (_, n) =>
    all.slice(n * DIGEST_BYTES, (n + 1) * DIGEST_BYTES),
  );
}
