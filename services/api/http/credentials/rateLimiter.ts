/** A count that other processes add to: gives the whole count of a name in this window, `hits` added. Rejects while it is away. */
export type SharedCount = (name: string, window: number, hits: number) => Promise<number>;

export interface LimiterOptions {
  /** The name in the RateLimit headers. */
  policy: string;
  /** The most in a minute. */
  limit: number;
  shared?: SharedCount;
  now?: () => number;
}

/** Where a name stands: `left` of its limit, and seconds until the count begins anew. */
export interface Standing {
  left: number;
  resetSeconds: number;
}

interface Count {
  own: number;
  told: number;
  others: number;
}

const WINDOW_MS = 60_000;
/** Names that are counted at once; further ones pass uncounted, as no limit by name holds back so many. */
const MOST_NAMES = 100_000;
/** The share of a limit below which a process keeps a count to itself. */
const UNTOLD_SHARE = 0.02;

/**
 * Counts in memory, in fixed windows of a minute, so that no request waits for a count. Once a second `share` adds what
 * is new to the count that all processes share and learns what the others have counted: a limit of several processes
 * is felt a second late at most, and without the shared count each holds to the limit by itself.
 */
export class RateLimiter {
  readonly policy: string;
  readonly limit: number;
  readonly #shared: SharedCount | undefined;
  readonly #now: () => number;
  readonly #untold: number;
  #window = -1;
  #counts = new Map<string, Count>();
  #grown = new Set<string>();

  constructor({ policy, limit, shared, now = Date.now }: LimiterOptions) {
    this.policy = policy;
    this.limit = limit;
    this.#shared = shared;
    this.#now = now;
    this.#untold = limit * UNTOLD_SHARE;
  }

  /** Counts one more, or one that weighs as many; `left` is negative when that is too many. What is too many is not counted on. */
  take(name: string, weight = 1): Standing {
    const standing = this.look(name);
    if (standing.left >= weight) this.#count(name, weight);
    return { ...standing, left: standing.left - weight };
  }

  /** Where a name stands, without counting. */
  look(name: string): Standing {
    const now = this.#now();
    const window = Math.floor(now / WINDOW_MS);
    if (window !== this.#window) this.#begin(window);
    const count = this.#counts.get(name);
    const used = count ? count.own + count.others : 0;
    const resetSeconds = Math.ceil(((window + 1) * WINDOW_MS - now) / 1_000);
    return { left: this.limit - used, resetSeconds };
  }

  /** Adds what is new to the shared count, and learns of the others'. Never rejects. */
  async share(): Promise<void> {
    if (!this.#shared) return;
    const [shared, window, counts, grown] = [this.#shared, this.#window, this.#counts, this.#grown];
    this.#grown = new Set();
    await Promise.all(
      [...grown].map(async (name) => {
        const count = counts.get(name)!;
        const hits = count.own - count.told;
        try {
          const whole = await shared(name, window, hits);
          count.told += hits;
          count.others = Math.max(0, whole - count.told);
        } catch {
          if (counts === this.#counts) this.#grown.add(name);
        }
      }),
    );
  }

  #begin(window: number): void {
    this.#window = window;
    this.#counts = new Map();
    this.#grown = new Set();
  }

  #count(name: string, weight: number): void {
    let count = this.#counts.get(name);
    if (!count) {
      if (this.#counts.size >= MOST_NAMES) return;
      count = { own: 0, told: 0, others: 0 };
      this.#counts.set(name, count);
    }
    count.own += weight;
    if (this.#shared && count.own >= this.#untold) this.#grown.add(name);
  }
}
