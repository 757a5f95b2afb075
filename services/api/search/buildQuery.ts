import type { SearchParams, SearchType } from '../../../shared/contract/search.js';
import { foldTag } from '../../../shared/store/listKeys.js';
import {
  anyOf,
  matchBegun,
  matchMistyped,
  matchTerm,
  type Query,
  type TextField,
} from './matchTerms.js';
import type { ParsedQuery, SearchTerm } from './parseQuery.js';
import { scoreByTier, strongTiers, weakTiers } from './scoreMatches.js';

type Match = (term: SearchTerm, fields?: readonly TextField[]) => Query;

/** Matches weaker than this are looked for only on demand. */
export const WEAK_BELOW = 0.5;

/** Everything that the terms match, within the filters, scored. Weak matches only when minScore asks for them. */
export function buildQuery(parsed: ParsedQuery, params: SearchParams): Query {
  const filter = filtersOf(params);
  const { terms } = parsed;
  const strong = scoreByTier(
    allTerms(terms, () => matchTerm, filter),
    strongTiers(parsed),
    terms.length,
  );
  if (params.minScore >= WEAK_BELOW) return strong;
  const begun = allTerms(terms, (isLast) => (isLast ? matchBegun : matchTerm), filter);
  const mistyped = allTerms(terms, () => matchMistyped, filter);
  return anyOf([strong, scoreByTier(anyOf([begun, mistyped]), weakTiers(begun), terms.length)]);
}

/** What to mark in the results: the terms, in whatever form they may match. */
export function buildHighlightQuery(
  { terms }: ParsedQuery,
  { minScore }: Pick<SearchParams, 'minScore'>,
): Query {
  const forms: Match[] =
    minScore < WEAK_BELOW ? [matchTerm, matchBegun, matchMistyped] : [matchTerm];
  return { bool: { should: terms.flatMap((term) => forms.map((match) => match(term))) } };
}

/** All terms anywhere in a thread; in a message's content or title, and at least one in its content. */
function allTerms(
  terms: readonly SearchTerm[],
  matchFor: (isLast: boolean) => Match,
  filter: Query[],
): Query {
  const matches = terms.map((term, index) => ({
    term,
    match: matchFor(index === terms.length - 1),
  }));
  const inContent = matches.map(({ term, match }) => match(term, ['content']));
  return {
    bool: {
      must: matches.map(({ term, match }) => match(term)),
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
