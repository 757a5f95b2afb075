import { randomUUID } from 'node:crypto';
import { followSignal } from '../platform/followSignal.js';
import { growingDelay } from '../platform/growingDelay.js';
import type { Admission, Wait } from './admission.js';
import { SYSTEM_CLOCK, type Clock } from './clock.js';
import { judge, type Verdict } from './judgeAnswer.js';
import { PlatformAnswerError, PlatformAway, PlatformUnauthorized } from './platformErrors.js';
import { RateLimits, type Counted } from './rateLimits.js';
import { readJson } from './readJson.js';

/** A request to the platform's API. */
export interface PlatformRequest<T> extends Counted {
  /** The path below DISCORD_API_URL, with its query. */
  path: string;
  /** A JSON body to POST. Without one, the request is a GET. */
  body?: object;
  /**
   * Returns the answer with its type where it is what the route promises. What it throws becomes a PlatformAnswerError.
   */
  check: (answer: unknown) => T;
}

/** An answer. It holds as of the moment at which its request was sent (see `now` of the client). */
export interface PlatformAnswer<T> {
  value: T;
  asOf: number;
}

/** Asks the platform, within its limits. */
export interface PlatformClient {
  /**
   * Resolves with a checked answer, however long the limits ask to wait. Transient faults are tried again a few times.
   * Throws PlatformRefused, PlatformForbidden, PlatformUnauthorized, PlatformAway or PlatformAnswerError. Rejects when
   * the signal is aborted.
   */
  get<T>(request: PlatformRequest<T>, signal?: AbortSignal): Promise<PlatformAnswer<T>>;
}

/** What a client works with. */
export interface PlatformClientOptions {
  /** Without a slash at the end. */
  url: string;
  token: string;
  /** The address of this archive, which each request tells to the platform. */
  publicUrl: string;
  admission: Admission;
  clock?: Clock;
  /** Gives the time that an answer is recorded with. It is left out where no answer is recorded. */
  now?: () => Promise<number>;
  /** Is told the outcome of each request that was sent. */
  onAsked?: (outcome: AskOutcome) => void;
  /**
   * Is told how long (ms) a 429 asks to wait, and why, before that is done. Where it throws, the request fails with that
   * error.
   */
  onLimited?: (ms: number, why: string) => void;
  /** Is told when a request waits because nothing at all may be sent. */
  onHeld?: (wait: Wait & { why: string }) => void;
  fetch?: typeof fetch;
}

/** How a request ended: with an answer, refused for good, to be asked again later, or by a fault. */
export type AskOutcome = Verdict['kind'];

const VERSION = '1.0.0';
const TIMEOUT_MS = 30_000;
const MOST_TRIES = 5;
const faultDelay = (tries: number): number => growingDelay(tries, 500, 30_000);

/** What each request of a client works with. */
type Asking = Required<Pick<PlatformClientOptions, 'clock' | 'now'>> &
  PlatformClientOptions & { limits: RateLimits };

/** A client of the platform's API for one bot. */
export function createPlatformClient({
  clock = SYSTEM_CLOCK,
  now = () => Promise.resolve(0),
  ...others
}: PlatformClientOptions): PlatformClient {
  const options: Asking = { ...others, clock, now, limits: new RateLimits(clock) };
  let isRefused = false;
  return {
    async get(request, signal) {
      for (let tries = 1; ; tries += 1) {
        if (isRefused) throw new PlatformUnauthorized();
        const verdict = await tryOnce(options, request, signal);
        options.onAsked?.(verdict.kind);
        if (verdict.kind === 'answer') {
          return { value: check(request, verdict.value), asOf: verdict.asOf };
        }
        if (verdict.kind === 'refused') {
          isRefused ||= verdict.error instanceof PlatformUnauthorized;
          throw verdict.error;
        }
        if (tries >= MOST_TRIES) throw new PlatformAway(verdict.reason);
        // Where the platform asked to wait, the limits do that at the next try.
        if (verdict.kind === 'fault') await options.clock.sleep(faultDelay(tries), signal);
      }
    },
  };
}

function check<T>({ route, check: checked }: PlatformRequest<T>, value: unknown): T {
  try {
    return checked(value);
  } catch (error) {
    throw new PlatformAnswerError(`${route}: ${(error as Error).message}`);
  }
}

type Tried =
  | Exclude<Verdict, { kind: 'answer' }>
  | { kind: 'answer'; value: unknown; asOf: number };

/** Sends a request once, when the limits allow it, and tells the limits what came of it. */
async function tryOnce<T>(
  options: Asking,
  request: PlatformRequest<T>,
  signal?: AbortSignal,
): Promise<Tried> {
  const { limits, admission } = options;
  const permit = await limits.take(request, signal);
  let headers: Headers | null = null;
  let blockedMs = 0;
  try {
    const { answer, asOf } = await sendAdmitted(options, request, signal);
    if ('reason' in answer) return { ...answer, kind: 'fault', isInvalid: false };
    const verdict = judge(answer.status, answer.headers, answer.body);
    // A fault says nothing about the limits, unless its headers name a bucket.
    const isTold = verdict.kind === 'answer' || verdict.kind === 'refused';
    if (isTold || answer.headers.has('X-RateLimit-Bucket')) headers = answer.headers;
    if (verdict.isInvalid) await admission.countInvalid();
    if (verdict.kind === 'wait') {
      options.onLimited?.(verdict.waitMs, verdict.reason);
      if (verdict.stopsAll) await admission.stop(verdict.waitMs, verdict.reason);
      else blockedMs = verdict.waitMs;
    }
    return verdict.kind === 'answer' ? { ...verdict, asOf } : verdict;
  } finally {
    permit.end(headers, blockedMs);
  }
}

/** Sends a request once the limit over all routes allows it. */
async function sendAdmitted<T>(
  options: Asking,
  request: PlatformRequest<T>,
  signal?: AbortSignal,
): Promise<{ answer: Answer | NoAnswer; asOf: number }> {
  const { admission, clock } = options;
  const id = randomUUID();
  for (let wait = await admission.ask(id); wait.ms > 0; wait = await admission.ask(id)) {
    const { ms, why } = wait;
    if (why !== null) options.onHeld?.({ ms, why });
    await clock.sleep(ms, signal);
  }
  try {
    const asOf = await options.now();
    return { answer: await send(options, request, signal), asOf };
  } finally {
    // If this fails, the request counts for longer.
    admission.answered(id).catch(() => undefined);
  }
}

/** An answer of the platform; `body` is undefined where it is no JSON. */
interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** Why there was no answer. */
interface NoAnswer {
  reason: string;
}

async function send<T>(
  { url, token, publicUrl, fetch: fetched = fetch }: PlatformClientOptions,
  { path, body }: PlatformRequest<T>,
  signal?: AbortSignal,
): Promise<Answer | NoAnswer> {
  const sent = followSignal(signal, TIMEOUT_MS);
  try {
    const response = await fetched(`${url}${path}`, {
      headers: {
        Authorization: `Bot ${token}`,
        // The platform asks for this form.
        'User-Agent': `DiscordBot (${publicUrl}, ${VERSION})`,
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      // The token must not be sent to any other address.
      redirect: 'manual',
      signal: sent.signal,
    });
    const { status, headers } = response;
    return { status, headers, body: await readJson(response) };
  } catch (error) {
    signal?.throwIfAborted();
    return { reason: `The platform does not answer: ${whyUnanswered(error as Error)}` };
  } finally {
    sent.end();
  }
}

/**
 * The reason why `fetch` failed. Its own error only says "fetch failed", and holds the reason as its cause. Where Node
 * has tried several addresses of a host, the cause has a code and no message.
 */
function whyUnanswered({ message, cause }: Error): string {
  const { message: told, code } = (cause ?? {}) as Partial<NodeJS.ErrnoException>;
  return [told, code].find(Boolean) ?? message;
}
