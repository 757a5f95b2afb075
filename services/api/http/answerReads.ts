import type { IncomingMessage } from 'node:http';
import type { Logger } from '../../../shared/platform/logger.js';
import { withTimeout } from '../../../shared/platform/withTimeout.js';
import type { Answer } from '../answer.js';
import { WHOLE } from './askedPart.js';
import { hasBody } from './body.js';
import type { CorsPolicy } from './cors.js';
import { limitOf } from './credentials/countRequest.js';
import type { GateOptions } from './credentials/gate.js';
import type { RateLimiter } from './credentials/rateLimiter.js';
import { reportFailure } from './errors.js';
import { askerOf, makeAndSend, sendError, sendReady, type Exchange } from './exchange.js';
import { asHit, isKept, loadOnce, wholeOf, type AnswerCache } from './findKept.js';
import { formOf, type Form } from './forms.js';
import { COMMON_HEADERS } from './headers.js';
import { hasOneHost } from './hosts.js';
import { pathMatcher, type Match } from './matchPaths.js';
import { requestIdOf, type Observe, type RequestFacts } from './observeRequests.js';
import type { PreparedResponse } from './preparedResponse.js';
import { makeReady, readyName, type SentForm } from './readyAnswers.js';
import type { Route } from './route.js';

export interface ReadOptions extends Pick<GateOptions, 'limits' | 'addressOf'> {
  routes: readonly Route[];
  cache: AnswerCache;
  cors: CorsPolicy;
  observe: Observe;
  logger: Logger;
  /** How long a read may take (ms). */
  readMs: number;
}

/**
 * Makes a function that answers a read without Koa, and returns whether it did. It answers reads whose answer is the
 * same for every caller. Nearly all requests are such reads, and each step of Koa costs time. It leaves requests with a
 * credential, a body or an unusual URL to Koa, and those that a rate limit refuses.
 */
export function answerReads(options: ReadOptions) {
  const { cache, limits, addressOf, observe, cors, logger, readMs } = options;
  const match = pathMatcher(options.routes.filter(({ isSameForAll }) => isSameForAll));
  const common = [...COMMON_HEADERS.flat(), 'Vary', cors.vary];

  return (request: IncomingMessage, response: PreparedResponse): boolean => {
    const startedAt = performance.now();
    if (!isAnonymousRead(request)) return false;
    const ready = cache.find(readyName(request));
    const matched = ready ? undefined : match(request.url ?? '');
    const about = ready ?? matched;
    if (!about || hasBody(request) || !hasOneHost(request)) return false;
    const { path } = about;
    const { operation } = about.route;
    const limiter = limits && limitOf(limits, operation);
    const counted = limiter && count(limiter, addressOf(request));
    if (counted && counted.standing.left < 0) return false;
    const { operationId } = operation;
    const facts: RequestFacts = { requestId: requestIdOf(request), route: path, operationId };
    const exchange = { request, response, facts, counted, addressOf, cors };
    if (ready) sendReady(exchange, ready);
    else answerMatched(exchange, matched!);
    observe(request, response, facts, startedAt);
    return true;
  };

  function answerMatched(exchange: Exchange, matched: Match): void {
    withTimeout(readMs, () => findForm(exchange, matched))
      .then((form) => makeAndSend(exchange, form))
      .catch((error: unknown) => {
        sendError(exchange, reportFailure(logger, exchange.facts.requestId, error));
      });
  }

  async function findForm(exchange: Exchange, matched: Match): Promise<SentForm> {
    const { request } = exchange;
    const { route, params, queryString } = matched;
    const asker = askerOf(exchange);
    const question = route.ask({
      params,
      queryString,
      asker,
      caller: null,
      cookie: noCookie,
      part: WHOLE,
    });
    if (!isKept(question)) return sentForm(request, await question.answer(undefined));
    const { key } = question.cached;
    const outcome = cache.kept(key);
    if (!outcome) return sentForm(request, await loadOnce(question, cache));
    const kept = await wholeOf(request, key, outcome, cache);
    const form = await sentForm(request, asHit(kept));
    // The next request for the same URL finds this form by its name.
    cache.name(key, kept, readyName(request), () => makeReady(matched, form));
    return form;
  }

  function sentForm(request: IncomingMessage, answer: Answer): SentForm | Promise<SentForm> {
    const form = formOf(request, answer);
    const sent = ({ etag, headers, content, length, body }: Form): SentForm => {
      const notModified = common.concat(headers);
      return {
        etag,
        length,
        notModified,
        headers: notModified.concat(content),
        status: answer.status ?? 200,
        body,
        cached: answer.cached,
      };
    };
    return form instanceof Promise ? form.then(sent) : sent(form);
  }
}

function isAnonymousRead({ method, headers }: IncomingMessage): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    headers.authorization === undefined &&
    headers['x-api-key'] === undefined
  );
}

function count(limiter: RateLimiter, name: string): NonNullable<Exchange['counted']> {
  return { limiter, name, standing: limiter.take(name) };
}

/** Stands for the reader of cookies. An answer that is the same for every caller depends on no cookie. */
function noCookie(): undefined {
  return undefined;
}
