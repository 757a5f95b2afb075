import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../shared/contract/errors.js';
import { compressed, withIdentity, type Answer } from '../answer.js';
import { isInflatedFor } from './forms.js';
import type { ReadyAnswer } from './readyAnswers.js';
import type { ResponseCache } from './responseCache.js';
import type { Question } from './route.js';

/** What the response cache keeps: an answer, or a NOT_FOUND error. */
export type Outcome = Answer | AppError;

export type AnswerCache = ResponseCache<Outcome, ReadyAnswer>;

/** How many bytes an error takes in memory with its stack, as measured. */
const STACK_BYTES = 512;

/** How many bytes an outcome takes in memory; undefined where it is streamed, or must not be cached. */
export function outcomeBytes(outcome: Outcome): number | undefined {
  if (outcome instanceof AppError) return STACK_BYTES;
  if (outcome.openGzip || outcome.cached?.expiresAt === 0) return undefined;
  return (outcome.identity?.length ?? 0) + (outcome.gzip?.length ?? 0);
}

/** When an outcome expires (a time of `performance.now()`); undefined where it stays until an announcement. */
export function outcomeExpiry(outcome: Outcome): number | undefined {
  return outcome instanceof AppError ? undefined : outcome.cached?.expiresAt;
}

/** A question whose answer the cache may keep. */
export type KeptQuestion = Question & { cached: NonNullable<Question['cached']> };

/** Whether the cache may keep the answer to a question. */
export function isKept(question: Question): question is KeptQuestion {
  return question.cached !== undefined;
}

/** Answers a question from the cache, or else loads the answer. Rejects with the handler's errors. */
export async function answerKept(
  request: IncomingMessage,
  question: KeptQuestion,
  cache: AnswerCache,
): Promise<Answer> {
  const { key } = question.cached;
  const kept = cache.kept(key);
  return kept ? asHit(await wholeOf(request, key, kept, cache)) : loadOnce(question, cache);
}

/** A kept outcome, with the uncompressed body where this client needs it. Rejects where it is a NOT_FOUND error. */
export async function wholeOf(
  request: IncomingMessage,
  key: string,
  kept: Outcome,
  cache: AnswerCache,
): Promise<Answer> {
  const found = orThrow(kept);
  if (!isInflatedFor(request, found)) return found;
  const whole = await withIdentity(found);
  cache.extend(key, found, whole);
  return whole;
}

/**
 * Loads an answer once for all requests that ask for it at the same time. The first of them is charged for its cost.
 * Where that exceeds the limit of the first asker, each of the other requests loads the answer for itself.
 */
export async function loadOnce(question: KeptQuestion, cache: AnswerCache): Promise<Answer> {
  const { cached } = question;
  let isFirst = false as boolean;
  const load = async (keptUntil: number | undefined): Promise<Outcome> => {
    isFirst = true;
    return endingBy(keptUntil, await settle(question));
  };
  try {
    return orThrow(await cache.load(cached.key, cached, load));
  } catch (error) {
    if (isFirst || !(error instanceof AppError) || error.code !== 'RATE_LIMITED') throw error;
    return orThrow(await settle(question));
  }
}

/** Marks an answer as found in the cache: its X-Cache header is HIT. */
export function asHit(answer: Answer): Answer {
  const { cached } = answer;
  return cached ? { ...answer, cached: { ...cached, state: 'HIT' } } : answer;
}

/**
 * An outcome that expires at `time` (of `performance.now()`) at the latest, so that X-Cache-TTL tells when the cache
 * drops it. Without `time`, the outcome is returned unchanged.
 */
function endingBy(time: number | undefined, outcome: Outcome): Outcome {
  if (time === undefined || outcome instanceof AppError || !outcome.cached) return outcome;
  const { state, expiresAt } = outcome.cached;
  return { ...outcome, cached: { state, expiresAt: Math.min(expiresAt, time) } };
}

/** Answers a question. A NOT_FOUND error is cached, so it is returned as an outcome. All other errors are thrown. */
async function settle({ answer }: Question): Promise<Outcome> {
  try {
    return await compressed(await answer(undefined));
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return error;
    throw error;
  }
}

function orThrow(outcome: Outcome): Answer {
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}
