import type {
  SearchParams,
  SuggestParams,
  SuggestResponse,
} from '../../../shared/contract/search.js';
import { jsonAnswer, type Answer } from '../answer.js';
import type { Asker } from '../asker.js';
import { tags } from '../dependencies.js';
import type { Searched } from './searchArchive.js';
import type { Dependency, Handler } from '../http/route.js';

/** How long the answer of a search or a completion is kept at most (ms), even if nothing changes. */
const LIFE_MS = 60_000;
/** After so long (ms), Elasticsearch surely shows a change. It refreshes every second. */
const SETTLES_MS = 2_000;

/**
 * Makes the handler of searches. Its answers may be kept for others, unless another asker might get more. Then no cache
 * between this service and its readers may keep them either.
 */
export function keepAnswers(
  search: (query: SearchParams, asker: Asker) => Promise<Searched>,
): Handler<unknown, SearchParams> {
  return async ({ query, asker }) => {
    const { answer, isWhole } = await search(query, asker);
    if (isWhole) return loaded(answer, performance.now() + LIFE_MS);
    return { ...loaded(answer, 0), noStore: true };
  };
}

/**
 * Makes the handler of completions. Its answers may be kept for others, since they do not depend on the asker. This
 * also holds where nothing is found.
 */
export function keepCompletions(
  suggest: (query: SuggestParams, asker: Asker) => Promise<SuggestResponse>,
): Handler<unknown, SuggestParams> {
  return async ({ query, asker }) =>
    loaded(await suggest(query, asker), performance.now() + LIFE_MS);
}

function loaded(found: object, expiresAt: number): Answer {
  return { ...jsonAnswer(found), cached: { state: 'MISS', expiresAt } };
}

/** The dependency of searches and completions: any change of the archive may change what they find. */
export function searchDependsOn(): Dependency {
  return { tags: [tags.searches], settlesMs: SETTLES_MS };
}
