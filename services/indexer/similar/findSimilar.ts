import { applyErasures } from '../../../shared/store/applyErasures.js';
import { composed, searchAlias, searchProblem } from '../../../shared/store/searchIndex.js';
import { unshownPeople, type UnshownPeople } from '../../../shared/store/unshownPeople.js';
import type { ThreadItemView } from '../../../shared/store/views.js';
import { withoutUnshown } from '../../../shared/store/withoutUnshown.js';
import type { IndexerDeps } from '../deps.js';
import { countedMessages } from '../build/threadMessages.js';
import { unlessDamaged } from '../records/unlessDamaged.js';
import { SearchUnavailable } from '../stores/sendBulk.js';
import { askOneByOne } from './askOneByOne.js';
import { similarRequest, type Subject } from './similarQuery.js';
import { untellingWords } from './untellingWords.js';

/**
 * By how many messages of its beginning a thread is compared, and by how many characters of them. These messages are
 * looked for among its first ones, since some may not be shown.
 */
const OPENING_MESSAGES = 2;
const OPENING_CHARACTERS = 4_000;
const FIRST_MESSAGES = 10;

type Listed = Pick<ThreadItemView, '_id' | 'serverId' | 'channelId' | 'title'>;

/**
 * Finds the ids of similar threads for each of these threads, in the same order; the most similar thread is first.
 * Throws when a search fails, and SearchUnavailable when the index is too busy or has to be rebuilt first.
 */
export async function findSimilar(deps: IndexerDeps, threads: Listed[]): Promise<string[][]> {
  if (threads.length === 0) return [];
  try {
    return await searchSimilar(deps, threads);
  } catch (error) {
    const problem = await searchProblem(deps.elasticsearch, deps.namespace).catch(() => null);
    throw problem === null ? error : new SearchUnavailable(problem, { cause: error });
  }
}

async function searchSimilar(deps: IndexerDeps, threads: Listed[]): Promise<string[][]> {
  const { elasticsearch } = deps;
  const index = searchAlias(deps.namespace);
  const people = await unshownPeople(deps.collections);
  const subjects = await Promise.all(threads.map((thread) => subjectOf(deps, thread, people)));
  const untelling = await untellingWords(elasticsearch, index, subjects);
  const found = await askOneByOne<{ threadId: string }>(
    elasticsearch,
    index,
    subjects.map((subject, n) => similarRequest(subject, untelling[n]!)),
  );
  return found.map(({ hits }) =>
    hits.hits.flatMap(({ _source: thread }) => (thread ? [thread.threadId] : [])),
  );
}

async function subjectOf(
  { collections }: IndexerDeps,
  { _id, title, serverId, channelId }: Listed,
  people: UnshownPeople,
): Promise<Subject> {
  const first = await countedMessages(collections, _id).limit(FIRST_MESSAGES).toArray();
  // The thread of a damaged message cannot be built, but may still be listed.
  const whole = first.filter((message) =>
    unlessDamaged(() => applyErasures(message, people.erased)),
  );
  const { shown } = await withoutUnshown(collections, people, serverId, whole);
  const texts = shown.slice(0, OPENING_MESSAGES).map(({ content }) => content);
  const opening = composed(texts.join('\n')).slice(0, OPENING_CHARACTERS);
  return { threadId: _id, serverId, channelId, title: composed(title), opening };
}
