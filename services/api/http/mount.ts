import Router from '@koa/router';
import type { Middleware } from 'koa';
import { AppError } from '../../../shared/contract/errors.js';
import { compressed, type Answer } from '../answer.js';
import type { ResponseCache } from './responseCache.js';
import type { Question, Route } from './route.js';
import { send } from './send.js';

/** What the response cache keeps: an answer, or the knowledge that there is none. */
export type Outcome = Answer | AppError;

/** Bytes of an outcome in memory; undefined for what is too large to keep. */
export function outcomeBytes(outcome: Outcome): number | undefined {
  if (outcome instanceof AppError) return 0;
  if (outcome.openGzip) return undefined;
  return (outcome.identity?.length ?? 0) + (outcome.gzip?.length ?? 0);
}

/** The middleware that answers routes. */
export function mountRoutes(routes: readonly Route[], cache: ResponseCache<Outcome>): Middleware {
  const router = new Router({ sensitive: true });
  for (const route of routes) {
    for (const path of route.operation.paths) {
      router.get(path, async (ctx) => {
        ctx.state['route'] = path;
        const question = route.ask(ctx.params, ctx.querystring);
        await send(ctx, await answerTo(question, cache));
      });
    }
  }
  return router.routes() as unknown as Middleware;
}

async function answerTo({ answer, cached }: Question, cache: ResponseCache<Outcome>) {
  if (!cached) return answer();
  const outcome = await cache.get(cached.key, cached.tags, () => settle(answer));
  if (outcome instanceof AppError) throw outcome;
  return outcome;
}

/** Absence is an outcome worth keeping; every other error is thrown. */
async function settle(answer: () => Promise<Answer>): Promise<Outcome> {
  try {
    return await compressed(await answer());
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return error;
    throw error;
  }
}
