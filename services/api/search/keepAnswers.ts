import type {
  SearchParams,
  SearchResponse,
  SuggestParams,
  SuggestResponse,
} from '../../../shared/contract/search.js';
import { jsonAnswer, type Answer } from '../answer.js';
import type { Asker } from '../asker.js';
import { tags } from '../dependencies.js';
import type { Dependency, Handler } from '../http/route.js';

/** The longest that the answer of a search or a completion is kept (ms), where nothing changes. */
const LIFE_MS = 60_000;
/** Milliseconds after which Elasticsearch shows a change for certain. It refreshes every second. */
const SETTLES_MS = 2_000;

/** Searches as a handler whose answers may be kept for others. */
export function keepAnswers(
  search: (query: SearchParams, asker: Asker) => Promise<SearchResponse>,
): Handler<unknown, SearchParams> {
  return async ({ query, asker }) => {
    const found = await search(query, asker);
    return loaded(found, expiryOf(found));
  };
}

/**
 * Completions as a handler whose answers may be kept for others. They are the same whoever asks, also where nothing is
 * found.
 */
export function keepCompletions(
  suggest: (query: SuggestParams) => Promise<SuggestResponse>,
): Handler<unknown, SuggestParams> {
  return async ({ query }) => loaded(await suggest(query), Date.now() + LIFE_MS);
}

function loaded(found: object, expiresAt: number): Answer {
  return { ...jsonAnswer(found), cached: { state: 'MISS', expiresAt } };
}

/** Whether nothing was corrected may be for the limit of the one who asked. Others may get a suggestion. */
function expiryOf({ total, suggestion }: SearchResponse): number {
  return total === 0 && suggestion === null ? 0 : Date.now() + LIFE_MS;
}

/** Any change of the archive may change what a search or a completion finds. */
export function searchDependsOn(): Dependency {
  return { tags: [tags.searches], settlesMs: SETTLES_MS };
}
