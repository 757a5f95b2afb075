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

/** The longest that the answer of a search or a completion is kept (ms), where nothing changes. */
const LIFE_MS = 60_000;
/** Milliseconds after which Elasticsearch shows a change for certain. It refreshes every second. */
const SETTLES_MS = 2_000;

/** Searches as a handler whose answers may be kept for others, where these would get the same. */
export function keepAnswers(
  search: (query: SearchParams, asker: Asker) => Promise<Searched>,
): Handler<unknown, SearchParams> {
  return async ({ query, asker }) => {
    const { answer, isWhole } = await search(query, asker);
    return loaded(answer, isWhole ? Date.now() + LIFE_MS : 0);
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

/** Any change of the archive may change what a search or a completion finds. */
export function searchDependsOn(): Dependency {
  return { tags: [tags.searches], settlesMs: SETTLES_MS };
}
