import type { estypes } from '@elastic/elasticsearch';
import type { SearchTerm } from './parseQuery.js';

/** A query clause (the client's own type admits undefined). */
export type Query = NonNullable<estypes.QueryDslQueryContainer>;

/** Fields that hold text; `conversation` and `tags` are a thread's, `content` a message's, `title` both kinds'. */
const TEXT_FIELDS = ['title', 'tags', 'conversation', 'content'] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

/** How much a term in a field is worth. */
const WEIGHTS: Record<TextField, number> = { title: 2, tags: 1.5, conversation: 1, content: 1 };

/** How much of a term a word is worth that it may be a typo of. */
const TYPO_WEIGHT = 0.5;
/** Letters of a word that may be the beginning of a longer one. */
const BEGUN = { fewest: 2, most: 20 } as const;

/** The term as written (letter case and accents aside) in one of the fields. */
export function asWritten(term: SearchTerm, fields: readonly TextField[] = TEXT_FIELDS): Query {
  return anyOf(fields.map((field) => phraseIn(field, term.text, WEIGHTS[field])));
}

/** The term as written or inflected in one of the fields; a phrase only as written. */
export function matchTerm(term: SearchTerm, fields: readonly TextField[] = TEXT_FIELDS): Query {
  if (term.phrase) return asWritten(term, fields);
  // What stands there as written has the same stem, so the stems find both.
  return anyOf(fields.map((field) => phraseIn(`${field}.stem`, term.text, WEIGHTS[field])));
}

/** The term as matchTerm finds it, or as the beginning of a word. */
export function matchBegun(term: SearchTerm, fields: readonly TextField[] = TEXT_FIELDS): Query {
  if (!mayBegin(term)) return matchTerm(term, fields);
  return anyOf([matchTerm(term, fields), ...fields.map((field) => beginningIn(field, term.text))]);
}

/** The term as matchTerm finds it, or one of the words that it may be a typo of. */
export function matchMistyped(term: SearchTerm, fields: readonly TextField[] = TEXT_FIELDS): Query {
  const others = (term.alternatives ?? []).flatMap((other) =>
    fields.map((field) => phraseIn(field, other, TYPO_WEIGHT)),
  );
  return anyOf([matchTerm(term, fields), ...others]);
}

/** The term in any of the ways above. */
export function matchLoosely(term: SearchTerm, fields: readonly TextField[] = TEXT_FIELDS): Query {
  return anyOf([matchMistyped(term, fields), matchBegun(term, fields)]);
}

/** All terms within one text, in any order, with at most as many other words between as there are terms. */
export function nearby(field: string, terms: readonly SearchTerm[]): Query {
  const intervals = terms.map(({ text }) => ({
    match: { query: text, ordered: true, max_gaps: 0 },
  }));
  return {
    intervals: { [field]: { all_of: { intervals, ordered: false, max_gaps: terms.length } } },
  };
}

/** The words of a text side by side in this order. */
export function phraseIn(field: string, query: string, boost = 1): Query {
  return { match_phrase: { [field]: { query, boost } } };
}

/** Any of the queries; the best one counts. */
export function anyOf(queries: Query[]): Query {
  return queries.length === 1 ? queries[0]! : { dis_max: { queries } };
}

/** A single letter begins too many words, and a long word is whole. */
function mayBegin({ text, phrase }: SearchTerm): boolean {
  return !phrase && text.length >= BEGUN.fewest && text.length <= BEGUN.most;
}

function beginningIn(field: TextField, query: string): Query {
  return { match_bool_prefix: { [field]: { query, operator: 'and' } } };
}
