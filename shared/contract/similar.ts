/** Threads like another one. */
import Joi from 'joi';
import { id, listOf } from './fields.js';
import { threadSummarySchema, type ThreadSummary } from './threads.js';

/** How many similar threads are shown at most. */
export const MAX_SIMILAR = 10;

/** GET /api/threads/:threadId/similar. Most similar first. */
export interface SimilarThreads {
  threadId: string;
  threads: ThreadSummary[];
}

/** Checks SimilarThreads. */
export const similarThreadsSchema = Joi.object<SimilarThreads, true>({
  threadId: id('The thread that they are similar to'),
  threads: listOf(
    threadSummarySchema,
    `Threads of the same server about the same, most similar first, at most ${MAX_SIMILAR}`,
  ),
});
