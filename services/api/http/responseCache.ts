import { LRUCache } from 'lru-cache';

/** A value in the cache. */
interface Entry<T> {
  value: T;
  tags: readonly string[];
  /** When it expires (a time of `now`); undefined where it stays until one of its tags is announced. */
  expiresAt: number | undefined;
  /** How many bytes of the cache it takes, with its names. */
  bytes: number;
  /** Its names, by which `find` finds it. */
  names: string[];
}

/** What a name stands for: a value by its key, and the value's ready form for this name. */
interface Named<Ready> {
  key: string;
  ready: Ready;
}

/** How long a value stays while no announcements can be received (ms), from the start of its load. */
const SUSPENDED_LIFE_MS = 1_000;
/**
 * How many bytes an entry takes in addition to its value and key, as measured: for tags, headers and buffer objects.
 */
const ENTRY_OVERHEAD = 1_024;
/** How many bytes a name takes in addition to its text: for two heads as text, and map entries. */
const NAME_OVERHEAD = 2_048;
/** The most names of one entry. One answer may have any number of URLs, because unknown parameters are ignored. */
const MOST_NAMES = 4;

/** What a value depends on. It only changes when one of its tags is announced. */
export interface Tagged {
  tags: readonly string[];
  /**
   * How long after any announcement a load may still read what was there before (ms). A value that was loaded in this
   * time expires at its end.
   */
  settlesMs?: number | undefined;
}

/** Loads a value. `keptUntil` is when it will expire at the latest (a time of `now`), where that is known. */
type Load<T> = (keptUntil: number | undefined) => Promise<T>;

export interface CacheOptions<T, Ready> {
  /** How many bytes all entries may take together. With 0, nothing is kept. */
  maxBytes: number;
  /** How many bytes a value takes; undefined where it must not be kept. */
  sizeOf: (value: T) => number | undefined;
  /** How many bytes a ready form takes in addition to those that it shares with its value. */
  readySizeOf?: (ready: Ready) => number;
  /** When a value expires (a time of `now`); undefined where it stays until one of its tags is announced. */
  expiryOf?: (value: T) => number | undefined;
  /** The current time (ms); by default that of `performance.now()`. */
  now?: () => number;
}

/**
 * Keeps finished answers in memory, each with the cache tags that it depends on. It drops those that were not used for
 * the longest time when they take more than `maxBytes`. When several requests ask for a key that is not kept, its value
 * is loaded once for all of them.
 *
 * While announcements arrive (after `resume`), an entry stays until one of its tags is announced. When announcements
 * stop (`suspend`), all entries are dropped. From then on, an entry only stays for a second.
 *
 * A value may also have names. A name leads to a form of the value that is ready to be sent, without the key.
 */
export class ResponseCache<T extends object, Ready extends object = never> {
  readonly #entries: LRUCache<string, Entry<T>> | undefined;
  readonly #loads = new Map<string, { promise: Promise<T>; tags: readonly string[] }>();
  readonly #keysByTag = new Map<string, Set<string>>();
  readonly #named = new Map<string, Named<Ready>>();
  readonly #sizeOf: (value: T) => number | undefined;
  readonly #readySizeOf: (ready: Ready) => number;
  readonly #expiryOf: (value: T) => number | undefined;
  readonly #now: () => number;
  /** Whether announcements arrive. */
  #live = false;
  /** The time of the last announcement, for `settlesMs`. At first that of the start: there may have been one before. */
  #changedAt: number;
  #hits = 0;
  #misses = 0;

  constructor({
    maxBytes,
    sizeOf,
    readySizeOf = () => 0,
    expiryOf = () => undefined,
    now = () => performance.now(),
  }: CacheOptions<T, Ready>) {
    this.#sizeOf = sizeOf;
    this.#readySizeOf = readySizeOf;
    this.#expiryOf = expiryOf;
    this.#now = now;
    this.#changedAt = now();
    if (maxBytes > 0) {
      this.#entries = new LRUCache({
        maxSize: maxBytes,
        // A larger value would push out too many others, so it is not kept.
        maxEntrySize: Math.ceil(maxBytes / 8),
        dispose: (entry, key) => this.#forget(key, entry),
      });
    }
  }

  /** The value kept under a key; undefined where there is none, or it has expired. */
  kept(key: string): T | undefined {
    const entry = this.#entries?.get(key);
    if (!entry || !this.#isFresh(entry)) return undefined;
    this.#hits += 1;
    return entry.value;
  }

  /**
   * Loads the value of a key and keeps it, or joins a load of this key that is under way. Rejects where the load does.
   */
  load(key: string, dependency: Tagged, load: Load<T>): Promise<T> {
    this.#misses += 1;
    return this.#loads.get(key)?.promise ?? this.#load(key, dependency, load);
  }

  /** The ready form with a name; undefined where there is none, or its value has expired. */
  find(name: string): Ready | undefined {
    const named = this.#named.get(name);
    if (!named) return undefined;
    const entry = this.#entries?.get(named.key);
    if (!entry || !this.#isFresh(entry)) return undefined;
    this.#hits += 1;
    return named.ready;
  }

  /**
   * Gives a kept value a further name, with the ready form that `make` returns. Does nothing where the key has another
   * value by now, where the value has MOST_NAMES names, or where `make` returns undefined.
   */
  name(key: string, value: T, name: string, make: () => Ready | undefined): void {
    const entry = this.#entries?.peek(key);
    if (entry?.value !== value || this.#named.has(name)) return;
    const ready = entry.names.length < MOST_NAMES ? make() : undefined;
    if (!ready) return;
    const bytes = entry.bytes + this.#readySizeOf(ready) + 2 * name.length + NAME_OVERHEAD;
    this.#put(key, { ...entry, bytes, names: [...entry.names, name] });
    if (this.#entries?.has(key)) this.#named.set(name, { key, ready });
  }

  /**
   * Replaces a kept value by the same answer in more encodings. Drops the names of the value. Does nothing where the
   * key has another value by now.
   */
  extend(key: string, value: T, extended: T): void {
    const entry = this.#entries?.peek(key);
    const bytes = this.#sizeOf(extended);
    if (entry?.value !== value || bytes === undefined) return;
    this.#unname(entry);
    this.#put(key, { ...entry, value: extended, bytes: costOf(key, bytes), names: [] });
  }

  /**
   * Drops every value that has one of the tags. Where a load of such a value is under way, its callers still get the
   * value, but it is not kept.
   */
  invalidate(tags: readonly string[]): void {
    for (const tag of tags) {
      for (const key of this.#keysByTag.get(tag) ?? []) this.#entries?.delete(key);
    }
    this.#changedAt = this.#now();
    const changed = new Set(tags);
    for (const [key, load] of this.#loads) {
      if (load.tags.some((tag) => changed.has(tag))) this.#loads.delete(key);
    }
  }

  /** Drops every value. Values that are being loaded are not kept. */
  clear(): void {
    this.#entries?.clear();
    this.#loads.clear();
    this.#changedAt = this.#now();
  }

  /** Is called when announcements begin to arrive. Drops every value, because it may have changed before. */
  resume(): void {
    this.clear();
    this.#live = true;
  }

  /**
   * Is called when announcements may be missed from now on. Some may have been missed already. So every value is
   * dropped, and values that are being loaded are not kept.
   */
  suspend(): void {
    if (this.#live) this.clear();
    this.#live = false;
  }

  /** How many look-ups found a value, and how many did not, since the cache was made. */
  get traffic(): { hits: number; misses: number } {
    return { hits: this.#hits, misses: this.#misses };
  }

  /** How many values are kept, and how many bytes they take. */
  get size(): { entries: number; bytes: number } {
    return { entries: this.#entries?.size ?? 0, bytes: this.#entries?.calculatedSize ?? 0 };
  }

  #load(key: string, { tags, settlesMs = 0 }: Tagged, load: Load<T>): Promise<T> {
    const keptUntil = this.#keptUntil(settlesMs);
    const flight = { promise: load(keptUntil), tags };
    this.#loads.set(key, flight);
    flight.promise.then(
      (value) => {
        // Worker A begins to load a value. Meanwhile worker B changes it, and announces the change. That removes the
        // load of A from the map, because A may have read the old value.
        if (this.#loads.get(key) !== flight) return;
        this.#loads.delete(key);
        this.#keep(key, { value, tags, expiresAt: earlier(this.#expiryOf(value), keptUntil) });
      },
      () => {
        if (this.#loads.get(key) === flight) this.#loads.delete(key);
      },
    );
    return flight.promise;
  }

  /** When the value of a load that begins now expires at the latest; undefined where only an announcement ends it. */
  #keptUntil(settlesMs: number): number | undefined {
    const now = this.#now();
    const settledAt = this.#changedAt + settlesMs;
    return earlier(
      settledAt > now ? settledAt : undefined,
      this.#live ? undefined : now + SUSPENDED_LIFE_MS,
    );
  }

  #keep(
    key: string,
    { value, tags, expiresAt }: Pick<Entry<T>, 'value' | 'tags' | 'expiresAt'>,
  ): void {
    const bytes = this.#sizeOf(value);
    if (bytes === undefined || !this.#entries) return;
    const cost = costOf(key, bytes);
    this.#entries.delete(key);
    this.#put(key, { value, tags, expiresAt, bytes: cost, names: [] });
    if (!this.#entries.has(key)) return;
    for (const tag of tags) {
      const keys = this.#keysByTag.get(tag);
      if (keys) keys.add(key);
      else this.#keysByTag.set(tag, new Set([key]));
    }
  }

  #put(key: string, entry: Entry<T>): void {
    this.#entries?.set(key, entry, { size: entry.bytes, noDisposeOnSet: true });
  }

  #isFresh({ expiresAt }: Entry<T>): boolean {
    return expiresAt === undefined || this.#now() < expiresAt;
  }

  #forget(key: string, entry: Entry<T>): void {
    this.#unname(entry);
    for (const tag of entry.tags) {
      const keys = this.#keysByTag.get(tag);
      keys?.delete(key);
      if (keys?.size === 0) this.#keysByTag.delete(tag);
    }
  }

  #unname({ names }: Entry<T>): void {
    for (const name of names) this.#named.delete(name);
  }
}

/** How many bytes an entry takes with its key, but without names. A character of the key takes two at most. */
function costOf(key: string, bytes: number): number {
  return bytes + 2 * key.length + ENTRY_OVERHEAD;
}

/** The earlier of two times, of which either may be missing. */
function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
