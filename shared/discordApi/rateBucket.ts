import { followSignal } from '../platform/followSignal.js';
import type { Clock } from './clock.js';

/** The state of a bucket, as the headers of an answer tell it. */
export interface BucketState {
  hash: string;
  limit: number;
  remaining: number;
  /** Milliseconds until the bucket is full again. */
  resetAfterMs: number;
}

/**
 * One rate limit bucket of the platform, as its answers tell it. An answer may not count the requests that are still
 * under way, so these are subtracted. So no request is sent that a known bucket would refuse. While nothing is known of
 * the bucket, one request at a time is sent.
 */
export class RateBucket {
  readonly #clock: Clock;
  #limit: number | undefined;
  #remaining = 1;
  #resetAt: number | undefined;
  #blockedUntil = 0;
  #underWay = 0;
  #isUnlimited = false;
  readonly #wake = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Waits until a request may be sent. Its place is given back with the answer. */
  async take(signal?: AbortSignal): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const waitMs = this.#waitMs();
      if (waitMs === 0) {
        this.#underWay += 1;
        this.#remaining -= 1;
        return;
      }
      await this.#change(waitMs, signal);
    }
  }

  /**
   * Ends a request: `told` is what its answer says of the bucket, 'no bucket' where it names none, or null where
   * nothing can be learnt.
   */
  giveBack(told: BucketState | 'no bucket' | null): void {
    this.#underWay -= 1;
    if (told === 'no bucket') this.#isUnlimited = this.#limit === undefined;
    else if (told) this.#learn(told);
    // No request is under way whose answer would tell when the bucket is full again. So one may be sent to find out.
    if (this.#underWay === 0 && this.#resetAt === undefined) this.#remaining = 1;
    this.#wakeAll();
  }

  /** Learns from the answer to a request that was counted by another bucket. */
  adopt(told: BucketState, underWay: number): void {
    this.#learn({ ...told, remaining: told.remaining - underWay });
    this.#wakeAll();
  }

  /** Lets no request be sent for so long (ms). */
  block(ms: number): void {
    this.#blockedUntil = Math.max(this.#blockedUntil, this.#clock.now() + ms);
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** Whether the bucket can be dropped: no request is under way, nobody waits, and it is full. */
  get isIdle(): boolean {
    const now = this.#clock.now();
    const isFull = this.#resetAt === undefined || this.#resetAt <= now;
    return isFull && this.#underWay === 0 && this.#wake.size === 0 && this.#blockedUntil <= now;
  }

  #learn(told: BucketState): void {
    const now = this.#clock.now();
    this.#isUnlimited = false;
    this.#limit = told.limit;
    // The window may have ended while nobody waited. What was left in it says nothing about the new one.
    this.#endWindow(now);
    const left = told.remaining - this.#underWay;
    // Answers may arrive in another order than the platform made them. So the smallest number counts.
    this.#remaining = this.#resetAt === undefined ? left : Math.min(this.#remaining, left);
    // An answer that took long makes the window seem to end later, never earlier.
    const resetAt = now + told.resetAfterMs;
    this.#resetAt = Math.max(this.#resetAt ?? 0, resetAt);
  }

  #waitMs(): number {
    const now = this.#clock.now();
    if (this.#blockedUntil > now) return this.#blockedUntil - now;
    if (this.#isUnlimited) return 0;
    this.#endWindow(now);
    if (this.#remaining > 0) return 0;
    return this.#resetAt === undefined ? Infinity : this.#resetAt - now;
  }

  /** Begins a new window where the last one has ended. The new one may count the requests under way. */
  #endWindow(now: number): void {
    if (this.#resetAt === undefined || this.#resetAt > now) return;
    this.#remaining = (this.#limit ?? 1) - this.#underWay;
    this.#resetAt = undefined;
  }

  async #change(waitMs: number, signal?: AbortSignal): Promise<void> {
    const sleep = followSignal(signal);
    let wake = (): void => undefined;
    const woken = new Promise<void>((resolve) => (wake = resolve));
    this.#wake.add(wake);
    const slept = this.#clock
      .sleep(Number.isFinite(waitMs) ? Math.ceil(waitMs) : LONGEST_WAIT_MS, sleep.signal)
      .catch(() => undefined);
    await Promise.race([woken, slept]);
    sleep.end();
    this.#wake.delete(wake);
  }

  #wakeAll(): void {
    for (const wake of this.#wake) wake();
  }
}

/** A request that waits for another one's answer looks again after this long (ms), should none come. */
const LONGEST_WAIT_MS = 60_000;
