import { AppError } from '../../../shared/contract/errors.js';
import type { SimilarThreads } from '../../../shared/contract/similar.js';
import { jsonAnswer, type Answer } from '../answer.js';
import { loadBody, type BodyStore } from '../bodies/findBody.js';
import type { Handler } from '../http/route.js';
import { isId } from '../ids.js';

/**
 * GET /api/threads/:threadId/similar: the stored body. Where a thread has none yet, an empty list. Throws NOT_FOUND.
 */
export function listSimilarThreads(store: BodyStore): Handler<{ threadId: string }, unknown> {
  return async ({ params: { threadId } }) => {
    const answer = isId(threadId) ? await findSimilar(store, threadId) : undefined;
    if (!answer) throw new AppError('NOT_FOUND', 'Thread not found');
    return answer;
  };
}

async function findSimilar(store: BodyStore, threadId: string): Promise<Answer | undefined> {
  const stored = await loadBody(store, `similar/${threadId}`);
  if (stored) return stored;
  if (!(await loadBody(store, `thread/${threadId}`))) return undefined;
  const none: SimilarThreads = { threadId, threads: [] };
  return jsonAnswer(none);
}
