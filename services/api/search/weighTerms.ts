import type { SearchDeps } from './askElasticsearch.js';
import { FORGIVEN, isKnown, mayBeMistyped } from './forgiveTypos.js';
import { foreignWordsIn, tellingTerms } from './functionWords.js';
import { countWords, mostOf } from './lookUp.js';
import { BEGUN_WEIGHT, textsOf, TYPO_WEIGHT } from './matchTerms.js';
import { wordTerm, type ParsedQuery, type SearchTerm } from './parseQuery.js';
import type { Telling } from './relatedRequest.js';
import { countBegun, joinAll, joinsOf, mayBeBegun, otherSpellings, partsOf } from './spellings.js';

/** A word in at most so many documents may be a typo, or be spelled differently elsewhere. */
const HARDLY_KNOWN = 3;
/**
 * The most terms that are looked for, which are the most telling ones. The cost of the search grows with their number.
 */
const MOST_TERMS = 12;
/** The most terms that are weighed. Of a longer query, these are the first ones. */
const MOST_COUNTED = 32;

const termOf = ({ term }: { term: SearchTerm }): SearchTerm => term;

/**
 * Weighs the telling terms of a query, and returns the most telling ones that the archive holds in some spelling. Where
 * nothing holds all terms, the query may be a name that was written as several words.
 */
export async function weighTerms(
  deps: SearchDeps,
  parsed: ParsedQuery,
  isNothingFound: boolean,
): Promise<Telling[]> {
  const terms = tellingTerms(parsed.terms).slice(0, MOST_COUNTED);
  const joins = terms.map((term) => joinsOf(term, terms, parsed.terms));
  const foreign = foreignWordsIn(parsed);
  const joinedAll = isNothingFound ? joinAll(parsed.terms) : undefined;
  const texts = [...terms.flatMap(textsOf), ...joins.flat(), ...foreign];
  const scale = await createScale(deps, joinedAll ? [...texts, joinedAll] : texts);
  const { all, countOf } = scale;
  const weighed = terms.map((term, n) => weigh(term, joins[n]!, scale));
  // Of letters that are new to Unicode, the index makes no word. A term of these has no weight.
  const found = weighed.filter(({ weight }) => weight > 0);
  const rare = found
    .filter(({ term, count }) => count <= HARDLY_KNOWN && mayBeMistyped(term))
    .sort((one, other) => one.count - other.count)
    .slice(0, FORGIVEN.words);
  // The query as one word takes the place of a word that the archive holds.
  const hasPlace = rare.at(FORGIVEN.words - 1)?.count !== 0;
  const whole = hasPlace && joinedAll && countOf(joinedAll) === 0 ? joinedAll : undefined;
  const doubtful = whole === undefined ? rare : rare.slice(0, FORGIVEN.words - 1);
  // In a language that the archive does not speak, nearly every word would be like some word that means something else.
  // A single function word may be part of a name (`los angeles`).
  const known = foreign.filter((word) => isKnown(countOf(word), all));
  const isStrange = foreign.length > 1 && known.length <= foreign.length / 2;
  const unknown = doubtful.filter(({ term, count }) => count === 0 && mayBeBegun(term)).map(termOf);
  const beginnings = whole && mayBeBegun(wordTerm(whole)) ? [...unknown, wordTerm(whole)] : unknown;
  const [spellings, begun] = await Promise.all([
    otherSpellings(deps, doubtful.map(termOf), isStrange, whole),
    countBegun(deps, beginnings),
  ]);
  const likeWhole = whole === undefined ? [] : (spellings.get(whole) ?? []);
  // The beginning that counts as a word: the word itself, or else the query as one word.
  const beginningOf = (text: string, weight: number): SearchTerm['begun'] => {
    if (begun.get(text)) return { text, weight: BEGUN_WEIGHT * weight };
    return whole !== undefined && begun.get(whole) ? { text: whole, weight } : undefined;
  };
  return found
    .flatMap(({ term, count, weight: own, joined: neighbours }): Telling[] => {
      const alternatives = [...(spellings.get(term.text) ?? []), ...partsOf(term)];
      const joined = [...neighbours, ...likeWhole];
      const longer = begun.get(term.text) ?? 0;
      // A word that is only known as a beginning weighs as much as all longer words together.
      const weight = longer === 0 ? own : Math.log(1 + all / longer);
      const beginning = beginningOf(term.text, weight);
      if (count + joined.length + alternatives.length === 0 && !beginning) return [];
      const spelled = { ...term, alternatives, ...(beginning && { begun: beginning }) };
      // What is found by another spelling counts half.
      const isSpelledOtherwise = count + joined.length === 0 && !beginning;
      return [
        { term: spelled, weight: isSpelledOtherwise ? TYPO_WEIGHT * weight : weight, joined },
      ];
    })
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MOST_TERMS);
}

/** By what texts are weighed. */
interface Scale {
  /** How many documents there are; at least 1. */
  all: number;
  /** The most documents that may hold a text. */
  countOf: (text: string) => number;
  /** How telling a text is: the more, the fewer documents hold its words. */
  weightOf: (text: string) => number;
}

/** Counts the documents that hold some texts. */
async function createScale(deps: SearchDeps, texts: readonly string[]): Promise<Scale> {
  const { all: seen, counts } = await countWords(deps, [...new Set(texts)], 'inflected');
  // Documents may come between two requests. Where this one finds an empty archive, the next one may find words in it.
  // Their weights must not be 0, because the query divides by the sum of all weights.
  const all = Math.max(1, seen);
  return {
    all,
    countOf: (text) => mostOf(counts.get(text)),
    // The weight of a text with several words is the sum of their weights.
    weightOf: (text) =>
      (counts.get(text) ?? []).reduce(
        (sum, count) => sum + Math.log(1 + all / Math.max(1, count)),
        0,
      ),
  };
}

interface Weighed extends Telling {
  /** The most documents that may hold the term or one of its synonyms. */
  count: number;
}

function weigh(term: SearchTerm, joins: readonly string[], { countOf, weightOf }: Scale): Weighed {
  const known = textsOf(term).filter((text) => countOf(text) > 0);
  return {
    term,
    count: known.reduce((sum, text) => sum + countOf(text), 0),
    weight: Math.min(...(known.length > 0 ? known : [term.text]).map(weightOf)),
    joined: joins.filter((text) => countOf(text) > 0),
  };
}
