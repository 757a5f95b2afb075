import type { Clock } from './clock.js';
import { RateBucket, type BucketState } from './rateBucket.js';

/** What a request is counted by: its route without ids, and the channel or server at its head. */
export interface Counted {
  route: string;
  topId: string;
}

/** Leave to send one request. */
export interface Leave {
  /**
   * The request has ended: with headers, or without an answer that tells anything (null). Nothing more is sent in its
   * bucket for `blockedMs`, also where these headers are the first to name that bucket.
   */
  end(headers: Headers | null, blockedMs?: number): void;
}

/** Buckets kept at most; those at rest are dropped beyond it. */
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
  async take(counted: Counted, signal?: AbortSignal): Promise<Leave> {
    for (;;) {
      const bucket = this.#current(counted);
      await bucket.take(signal);
      // Meanwhile an answer has told that the route belongs to another bucket.
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

  /** The bucket of a route as far as it is known: until the first answer, one of its own. */
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
    if (own === bucket) {
      bucket.giveBack(told);
      return;
    }
    // The first answer of a route tells its bucket: who waited under the route's name goes on under the bucket's.
    bucket.giveBack(told);
    own.adopt(told, bucket.underWay);
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

/** A header's number when it is one, and not negative. */
export function numberIn(headers: Headers, name: string): number | null {
  const text = headers.get(name);
  const number = text === null || text.trim() === '' ? NaN : Number(text);
  return Number.isFinite(number) && number >= 0 ? number : null;
}

/** Seconds that the platform tells as milliseconds: at most an hour, whatever it says. */
export function boundedMs(seconds: number): number {
  return Math.min(seconds * 1_000, LONGEST_MS);
}
