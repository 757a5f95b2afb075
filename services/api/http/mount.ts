import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import type { Answer } from '../answer.js';
import { WHOLE } from './askedPart.js';
import { readBody } from './body.js';
import { askerOf } from './credentials/countRequest.js';
import type { Gate } from './credentials/gate.js';
import { answerKept, isKept, type AnswerCache } from './findKept.js';
import type { Route } from './route.js';
import { send } from './send.js';

/** The context of a request that the router has matched. */
export type RouteContext = Context & { params: Record<string, string> };

/** What routes are answered with. */
export interface MountDeps {
  cache: AnswerCache;
  gate: Gate;
  /** How long a read may take (ms). */
  readMs: number;
}

/** Makes the middleware that answers the requests of routes, once the gate has admitted them. */
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
  { cache, gate, readMs }: MountDeps,
): Promise<void> {
  const { operation } = route;
  if (operation.access !== 'public') ctx.state['private'] = true;
  ctx.state['operationId'] = operation.operationId;
  // An operation with the access `me` may have to ask the chat platform, which may take longer than a read.
  const isRead = operation.method === 'get' && operation.access !== 'me';
  const find = () => findAnswer(ctx, route, cache, gate);
  await send(ctx, await (isRead ? withTimeout(readMs, find, closeFile) : find()));
}

/** Closes the file of an answer that came too late to be sent. */
function closeFile({ file }: Answer): void {
  file?.bytes.destroy();
}

async function findAnswer(
  ctx: RouteContext,
  { operation, ask }: Route,
  cache: MountDeps['cache'],
  gate: Gate,
): Promise<Answer> {
  const caller = await gate(ctx, operation);
  const question = ask({
    params: ctx.params,
    queryString: ctx.querystring,
    caller,
    asker: askerOf(ctx),
    cookie: (name) => ctx.cookies.get(name),
    // Of other requests than GET, Range means nothing (RFC 9110, 14.2).
    part: ctx.method === 'GET' ? { range: ctx.get('Range'), ifRange: ctx.get('If-Range') } : WHOLE,
  });
  const body = operation.body && (await readBody(ctx.req, operation.body));
  if (operation.body?.schema) {
    await caller?.recheck();
    ctx.state['given'] = body;
  }
  if (isKept(question)) return answerKept(ctx.req, question, cache);
  const answer = await question.answer(body);
  ctx.state['answered'] = answer.identity;
  return operation.status && !answer.file ? { status: operation.status, ...answer } : answer;
}
