/**
 * Adds `hits` to the count of a name in a window, which all processes share. Resolves with the new count of all
 * processes. Rejects where the count cannot be reached.
 */
export type SharedCount = (name: string, window: number, hits: number) => Promise<number>;

export interface LimiterOptions {
  /** The name in the RateLimit headers. */
  policy: string;
  /** How many requests of one name are allowed in a minute. */
  limit: number;
  shared: SharedCount;
  /** The current time (ms since 1970). */
  now?: () => number;
}

/** The standing of a name. */
export interface Standing {
  /** What is left of the limit. It is negative where a request was refused. */
  left: number;
  /** How long until the count begins anew (seconds). */
  resetSeconds: number;
}

/** The requests of one name in the current window. */
interface Count {
  /** How many this process has counted. */
  own: number;
  /** How many of these were sent to the shared count. */
  shared: number;
  /** How many other processes have counted, as far as is known. */
  others: number;
}

const WINDOW_MS = 60_000;
/**
 * The most names that are counted in a window. Requests of further names pass uncounted. A limit for each name is no
 * help against so many names anyway.
 */
const MOST_NAMES = 100_000;
/** A count is only shared with other processes from this part of the limit on. */
const UNSHARED_PART = 0.02;
/**
 * The most names that are shared at once. Sharing blocks the event loop: ten thousand names would block it for most of
 * a second.
 */
const MOST_SHARED = 1_000;

/**
 * Counts the requests of each name in fixed windows of a minute. It counts in memory, so that no request waits. All
 * processes share another count, in Redis. `share`, which is called once a second, adds the new requests to that count,
 * and reads how many the other processes have counted. So a limit over several processes takes effect up to a second
 * late. While Redis is away, each process enforces the limit by itself.
 */
export class RateLimiter {
  readonly policy: string;
  readonly limit: number;
  readonly #shared: SharedCount;
  readonly #now: () => number;
  readonly #shareFrom: number;
  #window = -1;
  #counts = new Map<string, Count>();
  /** The names that have hits to share. The name that has waited longest comes first. */
  readonly #grown = new Set<string>();

  constructor({ policy, limit, shared, now = Date.now }: LimiterOptions) {
    this.policy = policy;
    this.limit = limit;
    this.#shared = shared;
    this.#now = now;
    this.#shareFrom = limit * UNSHARED_PART;
  }

  /** Counts a request as `weight` requests. Where these exceed the limit, counts nothing, and `left` is negative. */
  take(name: string, weight = 1): Standing {
    const { left, resetSeconds } = this.look(name);
    if (left >= weight) this.#count(name, weight);
    return { left: left - weight, resetSeconds };
  }

  /** The standing of a name. Counts nothing. */
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
   * Adds this process's new hits to the shared count, and reads what the other processes have counted. It does so for
   * the MOST_SHARED names that have waited longest. Further names wait for the next call. It never rejects.
   *
   * Each hit is sent only once. Where no answer comes, the hits may have been added all the same. If they were sent
   * again, they would be counted twice, and this process would take the second count for hits of other processes.
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
