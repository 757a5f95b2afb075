import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { AppError } from '../../../shared/contract/errors.js';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import { compressed, type Answer } from '../answer.js';
import { hasBody, readBody } from './body.js';
import { askerOf } from './credentials/countRequest.js';
import type { Gate } from './credentials/gate.js';
import type { ResponseCache } from './responseCache.js';
import type { Question, Route } from './route.js';
import { READ_LIMIT_MS } from '../timeLimit.js';
import { send } from './send.js';

/** What the response cache keeps: an answer, or the error NOT_FOUND. */
export type Outcome = Answer | AppError;

/** Bytes of an outcome in memory; undefined for what is too large to keep. */
export function outcomeBytes(outcome: Outcome): number | undefined {
  if (outcome instanceof AppError) return 0;
  if (outcome.openGzip) return undefined;
  return (outcome.identity?.length ?? 0) + (outcome.gzip?.length ?? 0);
}

/** The middleware that answers routes, each after the gate has let the request pass. */
export function mountRoutes(
  routes: readonly Route[],
  cache: ResponseCache<Outcome>,
  gate: Gate,
): Middleware {
  const router = new Router({ sensitive: true });
  for (const route of routes) {
    for (const path of route.operation.paths) {
      router[route.operation.method](path, async (ctx) => {
        ctx.state['route'] = path;
        await answerRoute(ctx, route, cache, gate);
      });
    }
  }
  return router.routes() as unknown as Middleware;
}

async function answerRoute(
  ctx: Context & { params: Record<string, string> },
  { operation, ask }: Route,
  cache: ResponseCache<Outcome>,
  gate: Gate,
): Promise<void> {
  if (operation.access !== 'public') ctx.state['private'] = true;
  ctx.state['operationId'] = operation.operationId;
  // An operation that asks the chat platform may take longer.
  const isRead = operation.method === 'get' && operation.access !== 'me';
  const find = () => findAnswer(ctx, { operation, ask }, cache, gate);
  await send(ctx, isRead ? await withTimeout(READ_LIMIT_MS, find) : await find());
}

async function findAnswer(
  ctx: Context & { params: Record<string, string> },
  { operation, ask }: Route,
  cache: ResponseCache<Outcome>,
  gate: Gate,
): Promise<Answer> {
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
  const answer = await answerTo(question, body, cache);
  return operation.status ? { status: operation.status, ...answer } : answer;
}

async function answerTo(
  { answer, cached }: Question,
  body: unknown,
  cache: ResponseCache<Outcome>,
): Promise<Answer> {
  if (!cached) return answer(body);
  const outcome = await cache.get(cached.key, cached.tags, () => settle(() => answer(body)));
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}

/** NOT_FOUND is an outcome that is kept. Every other error is thrown. */
async function settle(answer: () => Promise<Answer>): Promise<Outcome> {
  try {
    return await compressed(await answer());
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return error;
    throw error;
  }
}
