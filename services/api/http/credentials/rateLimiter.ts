/**
 * A count that all processes share. Adds `hits` to a name in a window, and resolves with the whole count. Rejects while
 * the count cannot be reached.
 */
export type SharedCount = (name: string, window: number, hits: number) => Promise<number>;

export interface LimiterOptions {
  /** The name in the RateLimit headers. */
  policy: string;
  /** The most in a minute. */
  limit: number;
  shared: SharedCount;
  now?: () => number;
}

/** The standing of a name: what is `left` of its limit, and how many seconds until its count begins anew. */
export interface Standing {
  left: number;
  resetSeconds: number;
}

/** The requests of one name in the current window. */
interface Count {
  /** How many this process has counted. */
  own: number;
  /** How many of these were sent to the shared count. */
  shared: number;
  /** How many other processes have counted. */
  others: number;
}

const WINDOW_MS = 60_000;
/**
 * The most names that are counted. Requests of further names pass uncounted: a limit for each name does not help
 * against so many names.
 */
const MOST_NAMES = 100_000;
/** A count below this part of the limit is not shared with other processes. */
const UNSHARED_PART = 0.02;
/**
 * The most names that are shared at once. Sharing holds up all requests of the process: ten thousand names would hold
 * them up for most of a second.
 */
const MOST_SHARED = 1_000;

/**
 * Counts requests in memory, in fixed windows of a minute, so no request waits for a count. All processes share another
 * count. Once a second, `share` adds the new requests to it, and reads what other processes have counted. So a limit
 * over several processes takes effect at most a second late. Without the shared count, each process enforces the limit
 * by itself.
 */
export class RateLimiter {
  readonly policy: string;
  readonly limit: number;
  readonly #shared: SharedCount;
  readonly #now: () => number;
  readonly #shareFrom: number;
  #window = -1;
  #counts = new Map<string, Count>();
  /** The names that have hits to share. The one that has waited longest comes first. */
  readonly #grown = new Set<string>();

  constructor({ policy, limit, shared, now = Date.now }: LimiterOptions) {
    this.policy = policy;
    this.limit = limit;
    this.#shared = shared;
    this.#now = now;
    this.#shareFrom = limit * UNSHARED_PART;
  }

  /** Counts a request as `weight` requests. Where these are too many, `left` is negative, and nothing is counted. */
  take(name: string, weight = 1): Standing {
    const { left, resetSeconds } = this.look(name);
    if (left >= weight) this.#count(name, weight);
    return { left: left - weight, resetSeconds };
  }

  /** The standing of a name. It counts nothing. */
  look(name: string): Standing {
    const now = this.#now();
    const window = Math.floor(now / WINDOW_MS);
    if (window !== this.#window) this.#begin(window);
    const count = this.#counts.get(name);
    const used = count ? count.own + count.others : 0;
    const resetSeconds = Math.ceil(((window + 1) * WINDOW_MS - now) / 1_000);
    return { left: this.limit - used, resetSeconds };
  }

  /**
   * Adds this process's new hits to the shared count, and reads what the others have counted. It does so for at most
   * MOST_SHARED names, those that have waited longest. The others wait for the next call. It never rejects. Each hit is
   * sent once. Where no answer comes, the hits may have been added all the same. Sent again, they would be
   * counted twice, and the second time as hits of other processes.
   */
  async share(): Promise<void> {
    const [window, counts] = [this.#window, this.#counts];
    const names = [...this.#grown].slice(0, MOST_SHARED);
    for (const name of names) this.#grown.delete(name);
    await Promise.all(
      names.map(async (name) => {
        const count = counts.get(name)!;
        const hits = count.own - count.shared;
        const sent = (count.shared += hits);
        try {
          const whole = await this.#shared(name, window, hits);
          count.others = Math.max(0, whole - sent);
        } catch {
          // The next hit of this name reads the shared count again.
        }
      }),
    );
  }

  #begin(window: number): void {
    this.#window = window;
    this.#counts = new Map();
    this.#grown.clear();
  }

  #count(name: string, weight: number): void {
    let count = this.#counts.get(name);
    if (!count) {
      if (this.#counts.size >= MOST_NAMES) return;
      count = { own: 0, shared: 0, others: 0 };
      this.#counts.set(name, count);
    }
    count.own += weight;
    if (count.own >= this.#shareFrom) this.#grown.add(name);
  }
}
