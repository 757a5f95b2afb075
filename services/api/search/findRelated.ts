import type { SearchParams } from '../../../shared/contract/search.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { searchElasticsearch, CALL_LIMITS, type SearchDeps } from './askElasticsearch.js';
import { FORGIVEN, isKnown, likeWords, mayBeMistyped } from './forgiveTypos.js';
import {
  foldWord,
  foreignWordsIn,
  isFunctionWord,
  isFunctionWordIn,
  tellingTerms,
} from './functionWords.js';
import { countPieces } from './countPieces.js';
import { countWords, lookUp, mostOf, VOCABULARY } from './lookUp.js';
import { anyOf, begins, mayBegin, textsOf } from './matchTerms.js';
import type { ParsedQuery, SearchTerm } from './parseQuery.js';
import type { Hit } from './presentResults.js';
import { heaviest, type Telling } from './relatedRequest.js';
import { buildRelated } from './searchRequest.js';

/** Where the first page has a result with at least this score, related matches are not looked for. */
const STRONG = 0.7;
/** A word in at most so many documents may be a typo, or be spelled differently elsewhere. */
const HARDLY_KNOWN = 3;
/**
 * The most terms that are looked for, which are the most telling ones. The cost of the search grows with their number.
 */
const MOST_TERMS = 12;
/** The most terms that are weighed. Of a longer query, these are the first ones. */
const MOST_COUNTED = 32;
/**
 * The fewest characters of a part of a name that counts as a spelling of it, and how many such parts count: the first
 * ones.
 */
const SHORTEST_NAME_PART = 3;
const MOST_PARTS = 3;

/** Whether related matches are to be looked for: on the first page, where no match of all terms is strong. */
export function needsRelated(
  { terms }: Pick<ParsedQuery, 'terms'>,
  { offset }: SearchParams,
  { total, best }: { total: number; best: number },
): boolean {
  // Of several terms, some can be left out. A single term that was not found may have other spellings.
  const hasLess = terms.length > 1 || total === 0;
  return best < STRONG && hasLess && offset === 0;
}

/** Related matches of a query, best first, and its telling terms with their spellings. */
export interface Related {
  hits: Hit[];
  terms: SearchTerm[];
}

/**
 * Finds threads and messages that hold telling terms of a query, at most `limit` together. Threads in `shown` are left
 * out.
 */
export async function findRelated(
  deps: SearchDeps,
  parsed: ParsedQuery,
  params: SearchParams,
  shown: readonly string[],
): Promise<Related> {
  const telling = await weigh(deps, parsed);
  const terms = telling.map(({ term, joined }) => ({
    ...term,
    alternatives: [...(term.alternatives ?? []), ...joined],
  }));
  if (telling.length === 0) return { hits: [], terms };
  const ask = async (needed: readonly Telling[]): Promise<Hit[]> => {
    const words = { telling, needed };
    const request = buildRelated(words, { ...parsed, terms }, params, shown);
    const { hits } = await searchElasticsearch(deps, () =>
      deps.elasticsearch.search<NonNullable<Hit['_source']>>(
        { index: searchAlias(deps.namespace), ...request },
        CALL_LIMITS,
      ),
    );
    return hits.hits;
  };
  const needed = heaviest(telling);
  const hits = await ask(needed);
  // Terms are weighed over the whole archive. The filters may leave nothing that holds one of the needed terms. Then
  // any of the telling terms will do.
  const isLeft = hits.length + shown.length === 0 && needed.length < telling.length;
  return { hits: isLeft ? await ask(telling) : hits, terms };
}

/** Weighs the telling terms of a query, and returns the most telling ones that the archive holds in some spelling. */
async function weigh(deps: SearchDeps, parsed: ParsedQuery): Promise<Telling[]> {
  const terms = tellingTerms(parsed.terms).slice(0, MOST_COUNTED);
  const pairs = terms.slice(1).map((term, index) => joinOf(terms[index]!, term));
  const others = terms.map((term) => [
    closedUp(term),
    ...withParticles(term, parsed.terms),
    numbersOf(term),
  ]);
  const foreign = foreignWordsIn(parsed);
  const joins = [...pairs, ...others.flat()].filter((text) => text !== undefined);
  const { all, counts } = await countWords(
    deps,
    [...new Set([...terms.flatMap(textsOf), ...joins, ...foreign])],
    'inflected',
  );
  const countOf = (text: string): number => mostOf(counts.get(text));
  // The weight of a text with several words is the sum of their weights.
  const weightOf = (text: string): number =>
    (counts.get(text) ?? []).reduce(
      (sum, count) => sum + Math.log(1 + all / Math.max(1, count)),
      0,
    );
  const found = terms.map((term, n) => {
    const known = textsOf(term).filter((text) => countOf(text) > 0);
    return {
      term,
      count: known.reduce((sum, text) => sum + countOf(text), 0),
      weight: Math.min(...(known.length > 0 ? known : [term.text]).map(weightOf)),
      joined: [pairs[n - 1], pairs[n], ...others[n]!].filter(
        (text) => text !== undefined && countOf(text) > 0,
      ),
    };
  });
  const doubtful = found
    .filter(({ term, count }) => count <= HARDLY_KNOWN && mayBeMistyped(term))
    .sort((one, other) => one.count - other.count)
    .slice(0, FORGIVEN.words)
    .map(({ term }) => term);
  // In a language that the archive does not speak, nearly every word would be like some word that means something else.
  // A single function word may be part of a name (`los angeles`).
  const known = foreign.filter((word) => isKnown(countOf(word), all));
  const isStrange = foreign.length > 1 && known.length <= foreign.length / 2;
  const unknown = found.flatMap(({ term, count }) =>
    count === 0 && doubtful.includes(term) && mayBeBegun(term) ? [term] : [],
  );
  const [spellings, begun] = await Promise.all([
    otherSpellings(deps, doubtful, isStrange),
    countBegun(deps, unknown),
  ]);
  return found
    .flatMap(({ term, count, weight, joined }): Telling[] => {
      const alternatives = [...(spellings.get(term.text) ?? []), ...partsOf(term)];
      const longer = begun.get(term.text) ?? 0;
      if (count + longer + joined.length + alternatives.length === 0) return [];
      const whole = { ...term, alternatives };
      if (longer === 0) return [{ term: whole, weight, joined: joined as string[] }];
      const light = Math.log(1 + all / longer);
      return [{ term: { ...whole, begun: light }, weight: light, joined: joined as string[] }];
    })
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MOST_TERMS);
}

/** Two neighbouring words joined to one; undefined where one is a phrase. */
function joinOf(one: SearchTerm, other: SearchTerm): string | undefined {
  return one.phrase || other.phrase ? undefined : one.text + other.text;
}

/** A compound of letters without the signs in it: `email` for `e-mail`. */
function closedUp({ text, phrase, compound = text }: SearchTerm): string | undefined {
  const isJoined = /^\p{L}[^\p{N}]*\p{L}$/u.test(compound) && /[^\p{L}\p{M}'’]/u.test(compound);
  return phrase || !isJoined ? undefined : compound.replace(/[^\p{L}\p{M}]/gu, '');
}

/** The numbers of a version without its v: `1.14.1` for `v1.14.1`. */
function numbersOf({ text, phrase }: SearchTerm): string | undefined {
  return phrase ? undefined : /^v(\d+(?:\.\d+)+)$/i.exec(text)?.[1];
}

/** The parts of a word that has a digit, such as the name of a device: `esp32` for `esp32-c6`. */
function partsOf({ text, phrase }: SearchTerm): string[] {
  const parts = phrase || !/\p{N}/u.test(text) ? [] : text.split(/[^\p{L}\p{M}\p{N}'’]+/u);
  const long = parts.filter((part) => part !== text && part.length >= SHORTEST_NAME_PART);
  return long.slice(0, MOST_PARTS);
}

/**
 * A word joined with the function word behind it, and with the one before it: `timeout` for `time out`, `useeffect` for
 * `use effect`. A letter before it is left out, because it is mostly an article: `a way` is not `away`. Neither is a
 * joined word that says nothing: `any thing` is not `anything`.
 */
function withParticles(term: SearchTerm, all: readonly SearchTerm[]): string[] {
  const at = all.indexOf(term);
  if (at < 0) return [];
  const [before, behind] = [all[at - 1], all[at + 1]];
  const joins = [
    behind && isFunctionWord(behind.text) ? joinOf(term, behind) : undefined,
    before && before.text.length > 1 && isFunctionWord(before.text)
      ? joinOf(before, term)
      : undefined,
  ];
  return joins.filter((text) => text !== undefined && !isFunctionWord(text)) as string[];
}

/**
 * Other spellings that the archive has for words which it hardly knows: words with similar letters, the word written as
 * two, and the word without its ending. Words in a language that the archive does not speak get no words with similar
 * letters. A function word is no spelling of a telling word. Words that the search has already looked up are not looked
 * up again.
 */
async function otherSpellings(
  deps: SearchDeps,
  words: readonly SearchTerm[],
  areStrange: boolean,
): Promise<Map<string, string[]>> {
  const apart = words.flatMap(({ text: word }) =>
    [...splitsOf(word), ...withoutEnding(word)].map((text) => ({ word, text })),
  );
  const unasked = words.filter(({ alternatives }) => alternatives === undefined);
  const [like, { counts }] = await Promise.all([
    likeWords(deps, areStrange ? [] : unasked.map(({ text }) => text)),
    countWords(
      deps,
      apart.map(({ text }) => text),
      'inflected',
    ),
  ]);
  const known = apart.filter(({ text }) => mostOf(counts.get(text)) > 0);
  return new Map(
    words.map(({ text: word, alternatives = like.get(word) ?? [] }) => {
      const parted = known.filter((one) => one.word === word).map(({ text }) => text);
      const telling = alternatives.filter(
        (other) => !isFunctionWordIn(other, false) && mayBeMeant(other, word),
      );
      return [word, [...(areStrange ? [] : telling), ...parted]];
    }),
  );
}

/**
 * The fewest letters of an unknown word that may be the beginning of another one. Shorter ones begin too many words
 * that have nothing to do with them.
 */
const SHORTEST_BEGUN = 5;

/** Whether an unknown term may be the beginning of a longer word, such as `belichtung` of `belichtungszeit`. */
function mayBeBegun(term: SearchTerm): boolean {
  const letters = foldWord(term.text);
  return (
    mayBegin(term) &&
    letters.length >= SHORTEST_BEGUN &&
    /^\p{L}+$/u.test(letters) &&
    countPieces([term]) === 1
  );
}

/** For each word, how many documents hold a longer word that begins with it. */
async function countBegun(
  deps: SearchDeps,
  words: readonly SearchTerm[],
): Promise<Map<string, number>> {
  if (words.length === 0) return new Map();
  const filters = words.map((word) => anyOf(VOCABULARY.map((field) => begins(field, word))));
  const { aggregations = {} } = await lookUp(deps, { aggs: { begun: { filters: { filters } } } });
  const { buckets } = aggregations['begun'] as { buckets: { doc_count: number }[] };
  return new Map(words.map(({ text }, n) => [text, buckets[n]!.doc_count]));
}

/**
 * Whether a similar word may be meant. Nearly every word of three letters is like some other one, so of these only the
 * ones with the same letters may be meant: `gps` by `gsp`, and not `raum` by `ram`.
 */
function mayBeMeant(other: string, word: string): boolean {
  const letters = (text: string) => Array.from(foldWord(text)).toSorted().join('');
  return foldWord(word).length > 3 || letters(other) === letters(word);
}

/** The fewest letters of a word before its ending. */
const SHORTEST_ROOT = 5;

/** A word of letters without its last two ones: `einstellung` for `einstellungen`. */
function withoutEnding(word: string): string[] {
  const root = word.slice(0, -2);
  return /^\p{L}+$/u.test(word) && root.length >= SHORTEST_ROOT ? [root] : [];
}

/**
 * All ways to split a word of letters in two, such as `tbeam` into `t beam`. A function word of one or two letters,
 * such as `as`, is no first part, because nearly any rest of a word may follow it.
 */
function splitsOf(word: string): string[] {
  if (!/^\p{L}+$/u.test(word)) return [];
  return Array.from({ length: word.length - 1 }, (_, n) => [
    word.slice(0, n + 1),
    word.slice(n + 1),
  ])
    .filter(([first = '']) => first.length > 2 || !isFunctionWord(first))
    .map((parts) => parts.join(' '));
}
