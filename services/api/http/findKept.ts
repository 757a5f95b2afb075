import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../shared/contract/errors.js';
import { compressed, withIdentity, type Answer } from '../answer.js';
import { isInflatedFor } from './forms.js';
import type { ReadyAnswer } from './readyAnswers.js';
import type { ResponseCache } from './responseCache.js';
import type { Question } from './route.js';

/** What the response cache keeps: an answer, or the error NOT_FOUND. */
export type Outcome = Answer | AppError;

export type AnswerCache = ResponseCache<Outcome, ReadyAnswer>;

/** Bytes that an error costs with its stack, as measured. */
const STACK_BYTES = 512;

/** Bytes of an outcome in memory; undefined for what is too large to keep, or must not be kept. */
export function outcomeBytes(outcome: Outcome): number | undefined {
  if (outcome instanceof AppError) return STACK_BYTES;
  if (outcome.openGzip || outcome.cached?.expiresAt === 0) return undefined;
  return (outcome.identity?.length ?? 0) + (outcome.gzip?.length ?? 0);
}

/**
 * When an outcome must not be used any more (milliseconds since 1970); undefined where only an announcement ends it.
 */
export function outcomeExpiry(outcome: Outcome): number | undefined {
  return outcome instanceof AppError ? undefined : outcome.cached?.expiresAt;
}

/** A question whose answer the cache may keep. */
export type KeptQuestion = Question & { cached: NonNullable<Question['cached']> };

/** Whether the cache may keep the answer of a question. */
export function isKept(question: Question): question is KeptQuestion {
  return question.cached !== undefined;
}

/** The answer of a question from the cache, or, where that has none, of a load. */
export async function answerKept(
  request: IncomingMessage,
  question: KeptQuestion,
  cache: AnswerCache,
): Promise<Answer> {
  const { key } = question.cached;
  const kept = cache.kept(key);
  return kept ? asHit(await wholeOf(request, key, kept, cache)) : loadOnce(question, cache);
}

/** What is kept under a key, as this client gets it. Throws the NOT_FOUND that is kept. */
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
 * The answer of one load for all who ask at once. Its cost counts for whoever asked first. Where their limit does not
 * reach for it, each of the others asks for themselves.
 */
export async function loadOnce(question: KeptQuestion, cache: AnswerCache): Promise<Answer> {
  const { cached } = question;
  let isFirst = false as boolean;
  const load = (): Promise<Outcome> => {
    isFirst = true;
    return settle(question);
  };
  try {
    return orThrow(await cache.load(cached.key, cached, load));
  } catch (error) {
    if (isFirst || !(error instanceof AppError) || error.code !== 'RATE_LIMITED') throw error;
    return orThrow(await settle(question));
  }
}

/** An answer that was in the cache, with what its headers tell of that. */
export function asHit(answer: Answer): Answer {
  const { cached } = answer;
  return cached ? { ...answer, cached: { ...cached, state: 'HIT' } } : answer;
}

/** NOT_FOUND is an outcome that is kept. Every other error is thrown. */
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
