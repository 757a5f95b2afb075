import type { SearchDeps } from './askElasticsearch.js';
import { FORGIVEN, isKnown, mayBeMistyped } from './forgiveTypos.js';
import { foreignWordsIn, tellingTerms } from './functionWords.js';
import { countWords, mostOf } from './lookUp.js';
import { textsOf } from './matchTerms.js';
import type { ParsedQuery, SearchTerm } from './parseQuery.js';
import type { Telling } from './relatedRequest.js';
import { countBegun, joinsOf, mayBeBegun, otherSpellings, partsOf } from './spellings.js';

/** A word in at most so many documents may be a typo, or be spelled differently elsewhere. */
const HARDLY_KNOWN = 3;
/**
 * The most terms that are looked for, which are the most telling ones. The cost of the search grows with their number.
 */
const MOST_TERMS = 12;
/** The most terms that are weighed. Of a longer query, these are the first ones. */
const MOST_COUNTED = 32;

const termOf = ({ term }: { term: SearchTerm }): SearchTerm => term;

/** Weighs the telling terms of a query, and returns the most telling ones that the archive holds in some spelling. */
export async function weighTerms(deps: SearchDeps, parsed: ParsedQuery): Promise<Telling[]> {
  const terms = tellingTerms(parsed.terms).slice(0, MOST_COUNTED);
  const joins = terms.map((term) => joinsOf(term, terms, parsed.terms));
  const foreign = foreignWordsIn(parsed);
  const { all, counts } = await countWords(
    deps,
    [...new Set([...terms.flatMap(textsOf), ...joins.flat(), ...foreign])],
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
      joined: joins[n]!.filter((text) => countOf(text) > 0),
    };
  });
  const doubtful = found
    .filter(({ term, count }) => count <= HARDLY_KNOWN && mayBeMistyped(term))
    .sort((one, other) => one.count - other.count)
    .slice(0, FORGIVEN.words);
  // In a language that the archive does not speak, nearly every word would be like some word that means something else.
  // A single function word may be part of a name (`los angeles`).
  const known = foreign.filter((word) => isKnown(countOf(word), all));
  const isStrange = foreign.length > 1 && known.length <= foreign.length / 2;
  const unknown = doubtful.filter(({ term, count }) => count === 0 && mayBeBegun(term));
  const [spellings, begun] = await Promise.all([
    otherSpellings(deps, doubtful.map(termOf), isStrange),
    countBegun(deps, unknown.map(termOf)),
  ]);
  return found
    .flatMap(({ term, count, weight, joined }): Telling[] => {
      const alternatives = [...(spellings.get(term.text) ?? []), ...partsOf(term)];
      const longer = begun.get(term.text) ?? 0;
      if (count + longer + joined.length + alternatives.length === 0) return [];
      const whole = { ...term, alternatives };
      if (longer === 0) return [{ term: whole, weight, joined }];
      const light = Math.log(1 + all / longer);
      return [{ term: { ...whole, begun: light }, weight: light, joined }];
    })
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MOST_TERMS);
}
