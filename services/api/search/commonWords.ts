import type { Client } from '@elastic/elasticsearch';
import { LRUCache } from 'lru-cache';
import type { ParsedQuery } from './parseQuery.js';

/** The words of a query with so many matches are remembered, because the query costs so much. */
export const MANY_MATCHES = 5_000;
const REMEMBERED = 5_000;
const HOUR_MS = 3_600_000;

/** Words that have matched very many documents. They change how a query is asked, but never what is found. */
export interface CommonWords {
  /** Whether all words of a query are known to be common. */
  areAll(query: ParsedQuery): boolean;
  /** Remembers the words of a query with very many matches. Each of these words alone has at least as many matches. */
  learn(query: ParsedQuery, matches: number): void;
}

/** Makes an empty memory of common words. */
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

/** The memory that belongs to one connection to Elasticsearch. */
export function commonWords(client: Client): CommonWords {
  const words = memories.get(client) ?? createCommonWords();
  memories.set(client, words);
  return words;
}
