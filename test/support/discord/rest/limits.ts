import type { Settings } from '../settings.js';
import type { LimitCause, Limits } from '../types.js';
import { createBuckets, secondsOf } from './buckets.js';
import type { RouteName } from './routeNames.js';

/** A 429: its headers and its body. The body is text where Cloudflare answers. */
export interface Refusal {
  cause: LimitCause;
  headers: Record<string, string>;
  body: object | string;
}

/** Decides by the platform's limits which requests are answered. */
export interface LimitGuard extends Limits {
  /** Checks what refuses every request before it is looked at: Cloudflare, or a ban. */
  checkFirst(): Refusal | null;
  /** Counts a request that passed. Returns the headers of its bucket, and the refusal, if any. */
  check(
    route: RouteName,
    subject: string | null,
  ): { headers: Record<string, string>; refusal: Refusal | null };
  /** A 429 for a limit that is shared with others, who have used it up. */
  refuseShared(): Refusal;
  /** A 429 that does not tell how long to wait. */
  refuseWithoutRetryAfter(): Refusal;
  /** Counts an answer. */
  answered(status: number, cause: LimitCause | undefined, headers: Record<string, string>): void;
}

const TEN_MINUTES = 600_000;
const BAN_MS = 86_400_000;
const SHARED_MS = 300;
/** For so long after an answer that names a bucket, requests that were sent before it may still arrive (ms). */
const LEARNING_MS = 250;

/** Makes the limits of a double from its settings. */
export function createLimits(settings: Settings): LimitGuard {
  const buckets = createBuckets(settings);
  const told = new Map<string, number>();
  const counts: Limits['counts'] = {
    bucket: 0,
    unknownBucket: 0,
    global: 0,
    shared: 0,
    cloudflare: 0,
    ban: 0,
    withoutRetryAfter: 0,
  };
  let taken: number[] = [];
  let invalid: number[] = [];
  let blockedUntil = 0;
  let bannedUntil = 0;

  const invalidRequests = (): number => {
    invalid = invalid.filter((at) => at > performance.now() - TEN_MINUTES);
    return invalid.length;
  };
  return {
    counts,
    invalidRequests,
    renewBuckets: (factor = 1) => buckets.renew(factor),
    blockByCloudflare: (seconds) => void (blockedUntil = performance.now() + seconds * 1000),

    checkFirst() {
      const now = performance.now();
      if (bannedUntil > now) return refuseAsCloudflare('ban', bannedUntil - now);
      return blockedUntil > now ? refuseAsCloudflare('cloudflare', blockedUntil - now) : null;
    },

    check(route, subject) {
      if (!settings.rateLimits) return { headers: {}, refusal: null };
      const now = performance.now();
      taken = taken.filter((at) => at > now - settings.globalWindowMs);
      if (taken.length >= settings.globalLimit) {
        return {
          headers: {},
          refusal: refuse('global', taken[0]! + settings.globalWindowMs - now),
        };
      }
      const { headers, retryAfterMs, hash } = buckets.take(route, subject, now);
      if (retryAfterMs === null) {
        taken.push(now);
        return { headers, refusal: null };
      }
      const isKnown = now - (told.get(hash) ?? now) > LEARNING_MS;
      const cause = isKnown ? 'bucket' : 'unknownBucket';
      return { headers, refusal: refuse(cause, retryAfterMs) };
    },

    refuseShared: () => refuse('shared', SHARED_MS),

    refuseWithoutRetryAfter() {
      const body = { message: 'You are being rate limited.', retry_after: 0, global: false };
      return { cause: 'withoutRetryAfter', headers: {}, body };
    },

    answered(status, cause, headers) {
      const hash = headers['X-RateLimit-Bucket'];
      if (hash !== undefined && !told.has(hash)) told.set(hash, performance.now());
      if (cause) counts[cause] += 1;
      if ([401, 403, 429].includes(status) && cause !== 'shared') invalid.push(performance.now());
      if (bannedUntil === 0 && invalidRequests() >= settings.invalidRequestLimit) {
        bannedUntil = performance.now() + BAN_MS;
      }
    },
  };
}

function refuse(cause: 'bucket' | 'unknownBucket' | 'global' | 'shared', ms: number): Refusal {
  const isGlobal = cause === 'global';
  const scope = isGlobal || cause === 'shared' ? cause : 'user';
  return {
    cause,
    headers: {
      'Retry-After': String(Math.ceil(ms / 1000)),
      'X-RateLimit-Scope': scope,
      ...(isGlobal ? { 'X-RateLimit-Global': 'true' } : {}),
    },
    body: {
      message: 'You are being rate limited.',
      global: isGlobal,
      retry_after: Number(secondsOf(ms)),
    },
  };
}

function refuseAsCloudflare(cause: 'cloudflare' | 'ban', ms: number): Refusal {
  const headers = { 'Retry-After': String(Math.ceil(ms / 1000)) };
  return { cause, headers, body: '<html><title>Access denied</title>error code: 1015</html>' };
}
