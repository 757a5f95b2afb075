import type { SearchDeps } from './askElasticsearch.js';
import { countPieces } from './countPieces.js';
import { isOneTypo, likeWords } from './forgiveTypos.js';
import { foldWord, isFunctionWord, isFunctionWordIn } from './functionWords.js';
import { countWords, DIGITS, lookUp, mostOf, VOCABULARY } from './lookUp.js';
import {
  anyOf,
  begins,
  holdsSpelling,
  mayBegin,
  type Query,
  type TextField,
} from './matchTerms.js';
import type { SearchTerm } from './parseQuery.js';

/**
 * How many words side by side may be written as one, such as `getFormFromFile` for `get form from file`, and in how
 * long a query. A longer one would have very many such runs.
 */
const RUN = { fewest: 3, most: 5, letters: 40, query: 12 } as const;
/**
 * From so many letters on, the query as one word may have a typo, or be the beginning of a longer word. A shorter word
 * is like too many others.
 */
const SHORTEST_WHOLE = 8;
/** The fewest characters of a part of a name that counts as a spelling of the name. */
const SHORTEST_NAME_PART = 3;
/** The most parts of a name that count as spellings of it. These are the first ones. */
const MOST_PARTS = 3;

/**
 * Other spellings of a telling term as one word: joined with the telling terms beside it, without its signs, joined
 * with the function words beside it, several neighbours joined, without the v of a version, and with or without the
 * `0x` of a code. `all` are all terms of the query.
 */
export function joinsOf(
  term: SearchTerm,
  telling: readonly SearchTerm[],
  all: readonly SearchTerm[],
): string[] {
  const at = telling.indexOf(term);
  const [before, behind] = [telling[at - 1], telling[at + 1]];
  return [
    before && joinOf(before, term),
    behind && joinOf(term, behind),
    closedUp(term),
    ...withParticles(term, all),
    ...runsOf(term, all),
    numbersOf(term),
    codeOf(term),
  ].filter((text) => text !== undefined);
}

/** Two neighbouring words joined to one; undefined where one is a phrase. */
function joinOf(one: SearchTerm, other: SearchTerm): string | undefined {
  return one.phrase || other.phrase ? undefined : one.text + other.text;
}

/** Joins three to five neighbouring words of the query to one, in each way in which the term is one of them. */
function runsOf(term: SearchTerm, all: readonly SearchTerm[]): string[] {
  const at = all.length > RUN.query ? -1 : all.indexOf(term);
  if (at < 0) return [];
  const lengths = Array.from({ length: RUN.most - RUN.fewest + 1 }, (_, n) => RUN.fewest + n);
  return lengths.flatMap((length) =>
    Array.from({ length }, (_, n) => at - n)
      .filter((start) => start >= 0 && start + length <= all.length)
      .map((start) => lettersOf(all.slice(start, start + length)))
      .filter((text) => text !== undefined),
  );
}

/** Joins words of letters to one. Undefined where one holds anything else, or where they are too long together. */
function lettersOf(words: readonly SearchTerm[]): string | undefined {
  const text = words.map((word) => word.text).join('');
  const areWords = words.every((word) => !word.phrase && /^[\p{L}\p{M}]+$/u.test(word.text));
  return areWords && text.length <= RUN.letters ? text : undefined;
}

/**
 * Joins all words of a query, two to five, to one. The archive may hold that word with one letter more, or a longer
 * word that begins with it: `fUpdateBudgetMS` for `update budget ms`, `ConsoleUtilSSE` for `console util`. Undefined
 * where the query has more words, or where the joined word would be too short or too long.
 */
export function joinAll(all: readonly SearchTerm[]): string | undefined {
  const text = all.length > 1 && all.length <= RUN.most ? lettersOf(all) : undefined;
  return text === undefined || text.length < SHORTEST_WHOLE ? undefined : text;
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

/** A hexadecimal code without its `0x`, and with it where none is: `C0000005` for `0xC0000005`, and the reverse. */
function codeOf({ text, phrase }: SearchTerm): string | undefined {
  if (phrase) return undefined;
  // A code that begins with a digit is found within the one with `0x`.
  if (/^[a-f](?=[a-f]*\d)[\da-f]{5,}$/i.test(text)) return `0x${text}`;
  return /^0x([\da-f]{6,})$/i.exec(text)?.[1];
}

/** The parts of a word that has a digit, such as the name of a device: `esp32` for `esp32-c6`. */
export function partsOf({ text, phrase }: SearchTerm): string[] {
  const parts = phrase || !/\p{N}/u.test(text) ? [] : text.split(/[^\p{L}\p{M}\p{N}'’]+/u);
  const long = parts.filter((part) => part !== text && part.length >= SHORTEST_NAME_PART);
  return long.slice(0, MOST_PARTS);
}

/**
 * A word joined with the function word behind it, and with the one before it: `timeout` for `time out`, `useeffect` for
 * `use effect`. A letter before it is left out, because it is mostly an article: `a way` is not `away`. Neither is a
 * joined word that says nothing: `any thing` is not `anything`. But a `j` is only a word before an apostrophe: `j
 * query` is `jquery`.
 */
function withParticles(term: SearchTerm, all: readonly SearchTerm[]): string[] {
  const at = all.indexOf(term);
  if (at < 0) return [];
  const [before, behind] = [all[at - 1], all[at + 1]];
  const joins = [
    behind && isFunctionWord(behind.text) ? joinOf(term, behind) : undefined,
    before && (before.text.length > 1 || /^j$/i.test(before.text)) && isFunctionWord(before.text)
      ? joinOf(before, term)
      : undefined,
  ];
  return joins.filter((text) => text !== undefined && !isFunctionWord(text)) as string[];
}

/**
 * Other spellings that the archive has for words which it hardly knows: words with similar letters, the word written as
 * several, the word without its ending, and a number without its letters. Words in a language that the archive does not
 * speak get no words with similar letters. A function word is no spelling of a telling word. Words that the search has
 * already looked up are not looked up again. For `whole`, the query as one word, only a word with one typo is looked
 * for.
 */
export async function otherSpellings(
  deps: SearchDeps,
  words: readonly SearchTerm[],
  areStrange: boolean,
  whole: string | undefined,
): Promise<Map<string, string[]>> {
  const apart = words.flatMap(({ text: word }) =>
    [...splitsOf(word), ...withoutEnding(word)].map((text) => ({ word, text })),
  );
  const unasked = words.filter(({ alternatives }) => alternatives === undefined);
  const [like, { counts }] = await Promise.all([
    likeWords(
      deps,
      areStrange ? [] : [...unasked.map(({ text }) => text), ...(whole ? [whole] : [])],
    ),
    countWords(
      deps,
      apart.map(({ text }) => text),
      'inflected',
    ),
  ]);
  const held = apart.filter(({ text }) => mostOf(counts.get(text)) > 0);
  const known = await withoutScattered(deps, held, counts);
  const found = new Map(
    words.map(({ text: word, alternatives = like.get(word) ?? [] }) => {
      const parted = known.filter((one) => one.word === word).map(({ text }) => text);
      const telling = alternatives.filter(
        (other) => !isFunctionWordIn(other, false) && mayBeMeant(other, word),
      );
      return [word, [...(areStrange ? [] : telling), ...parted]];
    }),
  );
  if (whole !== undefined) {
    const similar = like.get(whole) ?? [];
    const near = similar.filter((other) => isOneTypo(foldWord(other), foldWord(whole)));
    found.set(whole, near);
  }
  return found;
}

/** Whether two words stand side by side is looked for where the rarer one is in at most so many documents. */
const MOST_LOOKED_AT = 1_000;

/**
 * Leaves out spellings of two words that no document has side by side: `s huts` for `shuts`. Where both words are
 * common, the spelling stays: nearly any two common words stand side by side somewhere, and the larger the archive is,
 * the longer it would take to look.
 */
async function withoutScattered<Spelling extends { text: string }>(
  deps: SearchDeps,
  spellings: readonly Spelling[],
  counts: ReadonlyMap<string, readonly number[]>,
): Promise<Spelling[]> {
  const doubtful = spellings.filter(
    ({ text }) => text.includes(' ') && mostOf(counts.get(text)) <= MOST_LOOKED_AT,
  );
  const found = await countHolding(deps, doubtful, (field, { text }) => holdsSpelling(field, text));
  const scattered = new Set(doubtful.filter((_, n) => found[n] === 0));
  return spellings.filter((spelling) => !scattered.has(spelling));
}

/** For each thing that is sought, how many messages and titles its query finds. */
async function countHolding<Sought>(
  deps: SearchDeps,
  sought: readonly Sought[],
  queryOf: (field: TextField, one: Sought) => Query,
): Promise<number[]> {
  if (sought.length === 0) return [];
  const filters = sought.map((one) => anyOf(VOCABULARY.map((field) => queryOf(field, one))));
  const { aggregations = {} } = await lookUp(deps, { aggs: { held: { filters: { filters } } } });
  const { buckets } = aggregations['held'] as { buckets: { doc_count: number }[] };
  return buckets.map(({ doc_count: count }) => count);
}

/**
 * The fewest letters of an unknown word that may be the beginning of another one. Shorter ones begin too many words
 * that have nothing to do with them.
 */
const SHORTEST_BEGUN = 5;

/** Whether an unknown term may be the beginning of a longer word, such as `belichtung` of `belichtungszeit`. */
export function mayBeBegun(term: SearchTerm): boolean {
  const letters = foldWord(term.text).replace(/\p{M}/gu, '');
  return (
    mayBegin(term) &&
    letters.length >= SHORTEST_BEGUN &&
    /^\p{L}+$/u.test(letters) &&
    countPieces([term]) === 1
  );
}

/** For each word, how many documents hold a longer word that begins with it. */
export async function countBegun(
  deps: SearchDeps,
  words: readonly SearchTerm[],
): Promise<Map<string, number>> {
  const counts = await countHolding(deps, words, begins);
  return new Map(words.map(({ text }, n) => [text, counts[n]!]));
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

/**
 * A word of letters without its last two ones, unless a function word is left, such as `again` of `against`:
 * `einstellung` for `einstellungen`. Of letters and then digits, each of the two alone: `reshade` for `reshade592`,
 * `504` for `e504`.
 */
function withoutEnding(word: string): string[] {
  const { letters = '', rest } = SPLITTABLE.exec(word)?.groups ?? {};
  if (rest !== undefined) {
    const alone = DIGITS.test(rest) ? [letters, rest] : [letters];
    return alone.filter((part) => part.length >= SHORTEST_NAME_PART);
  }
  const root = letters.slice(0, -2);
  return root.length >= SHORTEST_ROOT && !isFunctionWordIn(root, false) ? [root] : [];
}

/**
 * The ways to write a word of letters, which digits may follow, as several words:
 *
 * - as two, such as `tbeam` as `t beam`; the first is never a function word of one or two letters, such as `as`,
 *   because very many words begin so; one that tells something in English may be the first: `os` of `osprober`;
 * - divided at its capitals, such as `OpenStreetMap` as `Open Street Map`;
 * - with each of its digits apart, which may be a version without its dots: `reshade592` as `reshade 5 9 2`;
 * - with its three or four digits as two numbers of at most two digits: `python310` as `python 3 10`.
 */
function splitsOf(word: string): string[] {
  const { letters, rest = '' } = SPLITTABLE.exec(word)?.groups ?? {};
  if (letters === undefined) return [];
  const inTwo = Array.from({ length: letters.length - 1 }, (_, n) => [
    letters.slice(0, n + 1),
    letters.slice(n + 1) + rest,
  ])
    .filter(([first = '']) => first.length > 2 || !isFunctionWordIn(first, false))
    .map((parts) => parts.join(' '));
  const camel = word.replace(WITHIN_CAMEL, ' ');
  const spread = `${letters}${rest.replace(/\p{Nd}/gu, ' $&')}`;
  return [
    ...inTwo,
    ...(camel.split(' ').length > 2 ? [camel] : []),
    ...(/\p{Nd}{2}/u.test(rest) ? [spread] : []),
    ...(/^\p{Nd}{3,4}$/u.test(rest) ? inTwoNumbers(rest).map((text) => `${letters} ${text}`) : []),
  ];
}

function inTwoNumbers(digits: string): string[] {
  const parts = [1, 2].map((length) => [digits.slice(0, length), digits.slice(length)]);
  return parts.filter(([, last = '']) => last.length <= 2).map((part) => part.join(' '));
}

/** Matches a word of letters, or of letters and then anything that begins with a digit. */
const SPLITTABLE = /^(?<letters>\p{L}+)(?<rest>\p{Nd}[\p{L}\p{Nd}]*)?$/u;

/** Matches where a capital begins a word within a name: `OpenStreetMap`, `SSEEngine`. */
const WITHIN_CAMEL = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu;
