import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../../shared/contract/errors.js';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import { compressed, withIdentity, type Answer } from '../answer.js';
import { hasBody, readBody } from './body.js';
import { askerOf } from './credentials/countRequest.js';
import type { Gate } from './credentials/gate.js';
import type { ResponseCache } from './responseCache.js';
import type { Question, Route } from './route.js';
import { READ_LIMIT_MS } from '../timeLimit.js';
import type { CorsPolicy } from './cors.js';
import { makeReady, readyName, type ReadyAnswer } from './readyAnswers.js';
import { isInflatedFor, send } from './send.js';

/** What the response cache keeps: an answer, or the error NOT_FOUND. */
export type Outcome = Answer | AppError;

/** Bytes of an outcome in memory; undefined for what is too large to keep, or must not be kept. */
export function outcomeBytes(outcome: Outcome): number | undefined {
  if (outcome instanceof AppError) return 0;
  if (outcome.openGzip || outcome.cached?.expiresAt === 0) return undefined;
  return (outcome.identity?.length ?? 0) + (outcome.gzip?.length ?? 0);
}

/** When an outcome must not be used any more (milliseconds since 1970); undefined where only an announcement ends it. */
export function outcomeExpiry(outcome: Outcome): number | undefined {
  return outcome instanceof AppError ? undefined : outcome.cached?.expiresAt;
}

type RouteContext = Context & { params: Record<string, string> };

/** What answering a route needs. */
export interface MountDeps {
  cache: ResponseCache<Outcome, ReadyAnswer>;
  gate: Gate;
  cors: CorsPolicy;
}

/** The middleware that answers routes, each after the gate has let the request pass. */
export function mountRoutes(routes: readonly Route[], deps: MountDeps): Middleware {
  const router = new Router({ sensitive: true });
  for (const route of routes) {
    for (const path of route.operation.paths) {
      router[route.operation.method](path, async (ctx) => {
        ctx.state['route'] = path;
        await answerRoute(ctx, route, deps);
      });
    }
  }
  return router.routes() as unknown as Middleware;
}

async function answerRoute(
  ctx: RouteContext,
  route: Route,
  { cache, gate, cors }: MountDeps,
): Promise<void> {
  const { operation } = route;
  if (operation.access !== 'public') ctx.state['private'] = true;
  ctx.state['operationId'] = operation.operationId;
  // An operation that asks the chat platform may take longer.
  const isRead = operation.method === 'get' && operation.access !== 'me';
  const find = () => findAnswer(ctx, route, cache, gate);
  const {
    answer,
    key,
    wasKept = false,
  } = await (isRead ? withTimeout(READ_LIMIT_MS, find) : find());
  await send(ctx, wasKept ? asHit(answer) : answer);
  // The next request for the same URL is answered without coming here.
  if (key === undefined || !wasKept) return;
  const about = { operation, route: ctx.state['route'] as string };
  cache.name(key, answer, readyName(ctx.req), () => makeReady(ctx.req, answer, about, cors));
}

/** An answer that was in the cache, with what its headers tell of that. */
function asHit(answer: Answer): Answer {
  const { cached } = answer;
  return cached ? { ...answer, cached: { ...cached, state: 'HIT' } } : answer;
}

/** An answer, the key under which the cache may hold it, and whether it was there. */
interface Found {
  answer: Answer;
  key?: string;
  wasKept?: boolean;
}

async function findAnswer(
  ctx: RouteContext,
  { operation, ask }: Route,
  cache: MountDeps['cache'],
  gate: Gate,
): Promise<Found> {
  const caller = await gate(ctx, operation);
  ctx.state['caller'] ??= caller;
  const question = ask({
    params: ctx.params,
    queryString: ctx.querystring,
    caller,
    asker: askerOf(ctx),
    cookie: (name) => ctx.cookies.get(name),
  });
  const body = operation.body && (await readBody(ctx.req, operation.body));
  if (operation.body?.schema) ctx.state['given'] = body;
  if (!operation.body && hasBody(ctx.req)) ctx.set('Connection', 'close');
  if (question.cached) return findCached(ctx, question, question.cached, cache);
  const answer = await question.answer(body);
  return { answer: operation.status ? { status: operation.status, ...answer } : answer };
}

async function findCached(
  ctx: Context,
  { answer }: Question,
  { key, ...dependency }: NonNullable<Question['cached']>,
  cache: MountDeps['cache'],
): Promise<Found> {
  const kept = cache.kept(key);
  if (!kept) return { answer: await loadOnce(key, dependency, answer, cache), key };
  const found = orThrow(kept);
  const whole = isInflatedFor(ctx.req, found) ? await withIdentity(found) : found;
  if (whole !== found) cache.extend(key, found, whole);
  return { answer: whole, key, wasKept: true };
}

/**
 * The answer of one load for all who ask at once. Its cost counts for whoever asked first. Where their limit does not
 * reach for it, each of the others asks for themselves.
 */
async function loadOnce(
  key: string,
  dependency: Omit<NonNullable<Question['cached']>, 'key'>,
  answer: Question['answer'],
  cache: MountDeps['cache'],
): Promise<Answer> {
  let isFirst = false as boolean;
  const load = (): Promise<Outcome> => {
    isFirst = true;
    return settle(answer);
  };
  try {
    return orThrow(await cache.load(key, dependency, load));
  } catch (error) {
    if (isFirst || !(error instanceof AppError) || error.code !== 'RATE_LIMITED') throw error;
    return orThrow(await settle(answer));
  }
}

/** NOT_FOUND is an outcome that is kept. Every other error is thrown. */
async function settle(answer: Question['answer']): Promise<Outcome> {
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
