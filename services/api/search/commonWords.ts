import type { Client } from '@elastic/elasticsearch';
import { LRUCache } from 'lru-cache';
import type { ParsedQuery } from './parseQuery.js';

/** From so many matches on, a query costs so much that its words are remembered. */
export const MANY_MATCHES = 5_000;
const REMEMBERED = 5_000;
const HOUR_MS = 3_600_000;

/** Words that were seen to match very many documents. They change how a query is asked, never what is found. */
export interface CommonWords {
  /** Whether a query holds such words alone. */
  areAll(query: ParsedQuery): boolean;
  /** Remembers the words of a query with very many matches: each of them alone matches at least as many. */
  learn(query: ParsedQuery, matches: number): void;
}

/** An empty memory of common words. */
export function createCommonWords(): CommonWords {
  const known = new LRUCache<string, true>({ max: REMEMBERED, ttl: HOUR_MS });
  return {
    areAll: ({ terms }) =>
      terms.every(({ text, phrase }) => !phrase && known.has(text.toLowerCase())),
    learn({ terms }, matches) {
      if (matches < MANY_MATCHES) return;
      for (const { text, phrase } of terms) if (!phrase) known.set(text.toLowerCase(), true);
    },
  };
}

const memories = new WeakMap<Client, CommonWords>();

/** The memory of one connection to Elasticsearch. */
export function commonWords(client: Client): CommonWords {
  const words = memories.get(client) ?? createCommonWords();
  memories.set(client, words);
  return words;
}
