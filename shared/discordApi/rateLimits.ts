import type { Clock } from './clock.js';
import { RateBucket, type BucketState } from './rateBucket.js';

/**
 * What decides the bucket of a request: its route without ids, and the channel or server that the route begins with.
 */
export interface Counted {
  route: string;
  topId: string;
}

/** The permission to send one request. */
export interface Permit {
  /**
   * Ends the request: with the headers of its answer, or with null where nothing can be learnt. Its bucket then sends
   * nothing for `blockedMs`, even where these headers are the first to name the bucket.
   */
  end(headers: Headers | null, blockedMs?: number): void;
}

/** Beyond so many buckets, idle ones are dropped. */
const MOST_BUCKETS = 10_000;
const LONGEST_MS = 3_600_000;

/**
 * The platform's limits by route, as its answers tell them. Routes that share a bucket share its count, separately for
 * each channel or server.
 */
export class RateLimits {
  readonly #clock: Clock;
  readonly #hashes = new Map<string, string>();
  readonly #buckets = new Map<string, RateBucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits until a request may be sent. */
  async take(counted: Counted, signal?: AbortSignal): Promise<Permit> {
    for (;;) {
      const bucket = this.#current(counted);
      await bucket.take(signal);
      // While this request waited, an answer has told that its route belongs to another bucket.
      if (bucket !== this.#current(counted)) bucket.giveBack(null);
      else {
        return {
          end: (headers, blockedMs = 0) => {
            this.#end(counted, bucket, headers);
            this.#current(counted).block(blockedMs);
          },
        };
      }
    }
  }

  /** The bucket of a route. Until the first answer names one, the route has a bucket of its own. */
  #current(counted: Counted): RateBucket {
    return this.#bucketOf(this.#hashes.get(counted.route) ?? counted.route, counted);
  }

  #end(counted: Counted, bucket: RateBucket, headers: Headers | null): void {
    const told = headers && bucketState(headers);
    if (!told) {
      bucket.giveBack(headers ? 'no bucket' : null);
      return;
    }
    this.#hashes.set(counted.route, told.hash);
    const own = this.#bucketOf(told.hash, counted);
    bucket.giveBack(told);
    // Until its first answer, a route has a bucket of its own. The answer names the bucket that it shares with other
    // routes. Requests that wait in the route's own bucket go on in the shared one.
    if (own !== bucket) own.adopt(told, bucket.underWay);
  }

  #bucketOf(hash: string, { topId }: Counted): RateBucket {
    const key = `${hash} ${topId}`;
    const known = this.#buckets.get(key);
    if (known) return known;
    if (this.#buckets.size >= MOST_BUCKETS) this.#dropIdle();
    const bucket = new RateBucket(this.#clock);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #dropIdle(): void {
    for (const [key, bucket] of this.#buckets) if (bucket.isIdle) this.#buckets.delete(key);
  }
}

function bucketState(headers: Headers): BucketState | null {
  const hash = headers.get('X-RateLimit-Bucket');
  const limit = numberIn(headers, 'X-RateLimit-Limit');
  const remaining = numberIn(headers, 'X-RateLimit-Remaining');
  const resetAfter = numberIn(headers, 'X-RateLimit-Reset-After');
  if (!hash || !limit || remaining === null || resetAfter === null) return null;
  return { hash, limit, remaining, resetAfterMs: boundedMs(resetAfter) };
}

/** A header as a number; null where it is none, or negative. */
export function numberIn(headers: Headers, name: string): number | null {
  const text = headers.get(name);
  const number = text === null || text.trim() === '' ? NaN : Number(text);
  return Number.isFinite(number) && number >= 0 ? number : null;
}

/** Seconds, as the platform tells them, in milliseconds; at most an hour. */
export function boundedMs(seconds: number): number {
  return Math.min(seconds * 1_000, LONGEST_MS);
}
