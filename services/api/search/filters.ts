import type { SearchParams } from '../../../shared/contract/search.js';
import { foldTag } from '../../../shared/store/listKeys.js';
import type { Query } from './matchTerms.js';

/** Narrows a query to the filters of a search. */
export function within(params: SearchParams, query: Query): Query {
  const filter = filtersOf(params);
  return filter.length === 0 ? query : { bool: { must: [query], filter } };
}

/** Parameters that do not filter a field by one value. */
type Others = 'q' | 'type' | 'limit' | 'offset' | 'minScore' | 'tag' | 'after' | 'before';
/**
 * The fields of search documents by which filters narrow. The compiler demands one for every parameter not in `Others`.
 */
type FilterField = Exclude<keyof SearchParams, Others> | 'tagKeys';

function filtersOf(params: SearchParams): Query[] {
  const { serverId, channelId, tag, status, authorId, hasAttachment } = params;
  const wanted: Record<FilterField, string | boolean | undefined> = {
    serverId,
    channelId,
    tagKeys: tag === undefined ? undefined : foldTag(tag),
    status: status === 'all' ? undefined : status,
    authorId,
    hasAttachment,
  };
  return [...exactly(wanted), ...timeFilter(params)];
}

/** A filter for each field that is to have a value. */
export function exactly(fields: Record<string, string | boolean | undefined>): Query[] {
  return Object.entries(fields).flatMap(([field, value]) =>
    value === undefined ? [] : [{ term: { [field]: value } }],
  );
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
