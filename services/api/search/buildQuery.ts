import type { SearchParams, SearchType } from '../../../shared/contract/search.js';
import { foldTag } from '../../../shared/store/listKeys.js';
import {
  anyOf,
  matchBegun,
  matchLoosely,
  matchMistyped,
  matchTerm,
  type Query,
  type TextField,
} from './matchTerms.js';
import type { ParsedQuery, SearchTerm } from './parseQuery.js';
import { scoreByTier, strongTiers, titleTiers, weakTiers } from './scoreMatches.js';

type Match = (term: SearchTerm, fields?: readonly TextField[]) => Query;

/** Matches weaker than this are looked for only on demand. */
export const WEAK_BELOW = 0.5;

/** Everything that the terms match, within the filters, scored. Weak matches only when minScore asks for them. */
export function buildQuery(parsed: ParsedQuery, params: SearchParams): Query {
  const filter = filtersOf(params);
  const { terms } = parsed;
  const strong = scoreByTier(
    findTerms(terms, matchTerm, matchTerm, filter),
    strongTiers(parsed),
    terms.length,
  );
  if (params.minScore >= WEAK_BELOW) return strong;
  const begun = findTerms(terms, matchTerm, matchBegun, filter);
  const loose = findTerms(terms, matchMistyped, matchLoosely, filter);
  return anyOf([strong, scoreByTier(loose, weakTiers(begun), terms.length)]);
}

/** Those matches alone that stand before all others: threads by their titles, scored as buildQuery scores them. */
export function buildTitleQuery(parsed: ParsedQuery, params: SearchParams): Query {
  const { terms } = parsed;
  const tiers = titleTiers(parsed);
  const found = findTerms(terms, matchTerm, matchTerm, filtersOf(params));
  const top = { bool: { must: [found], filter: [anyOf(tiers.map(({ when }) => when))] } };
  return scoreByTier(top, tiers, terms.length);
}

/** Everything that the terms match, not scored, for counting. */
export function buildCountQuery({ terms }: ParsedQuery, params: SearchParams): Query {
  return { bool: { filter: [findTerms(terms, matchTerm, matchTerm, filtersOf(params))] } };
}

/** What to mark in some fields of the results: the terms and what they may be typos of, and the beginning of a word. */
export function buildHighlightQuery(
  { terms }: ParsedQuery,
  fields: readonly TextField[],
  begun: boolean,
): Query {
  const last = begun ? terms.slice(-1) : [];
  return {
    bool: {
      should: [
        ...terms.map((term) => matchMistyped(term, fields)),
        ...last.map((term) => matchBegun(term, fields)),
      ],
    },
  };
}

/** All terms anywhere in a thread; in a message's content or title, and at least one in its content. */
function findTerms(
  terms: readonly SearchTerm[],
  match: Match,
  matchLast: Match,
  filter: Query[],
): Query {
  const matchOf = (index: number) => (index === terms.length - 1 ? matchLast : match);
  const inContent = terms.map((term, index) => matchOf(index)(term, ['content']));
  return {
    bool: {
      must: terms.map((term, index) => matchOf(index)(term)),
      filter: [...filter, { bool: { should: [{ term: { kind: 'thread' } }, ...inContent] } }],
    },
  };
}

const KINDS: Record<SearchType, string | undefined> = {
  threads: 'thread',
  messages: 'message',
  all: undefined,
};

function filtersOf(params: SearchParams): Query[] {
  const { type, serverId, channelId, tag, status, authorId, hasAttachment } = params;
  const wanted: Record<string, string | boolean | undefined> = {
    kind: KINDS[type],
    serverId,
    channelId,
    tagKeys: tag === undefined ? undefined : foldTag(tag),
    status: status === 'all' ? undefined : status,
    authorId,
    hasAttachment,
  };
  const exact = Object.entries(wanted).flatMap(([field, value]) =>
    value === undefined ? [] : [{ term: { [field]: value } }],
  );
  return [...exact, ...timeFilter(params)];
}

function timeFilter({ after, before }: SearchParams): Query[] {
  if (after === undefined && before === undefined) return [];
  return [
    {
      range: {
        createdAt: {
          format: 'epoch_millis',
          ...(after === undefined ? {} : { gte: Date.parse(after) }),
          ...(before === undefined ? {} : { lt: Date.parse(before) }),
        },
      },
    },
  ];
}
