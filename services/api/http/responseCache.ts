import { LRUCache } from 'lru-cache';

interface Entry<T> {
  value: T;
  tags: readonly string[];
  /** When it must not be used any more; undefined where only an announcement ends it. */
  expiresAt: number | undefined;
  /** How much of the cache it takes, its names included (bytes). */
  bytes: number;
  /** The names by which `find` finds it. */
  names: string[];
}

interface Named<Ready> {
  key: string;
  ready: Ready;
}

/** How long a value lasts while announcements cannot be received (ms), from the moment when its load began. */
const UNHEARD_LIFE = 1_000;
/**
 * How many bytes an entry takes in addition to its body and key, as measured: tags, headers, the buffer around its
 * bytes.
 */
const ENTRY_OVERHEAD = 1_024;
/** How many bytes a name takes in addition to its text: two prepared heads and bookkeeping. */
const NAME_OVERHEAD = 2_048;
/**
 * The most names of one entry. Links may carry parameters that mean nothing here, so one answer may have any number of
 * URLs.
 */
const MOST_NAMES = 4;

/** What a value depends on: it changes only when one of its tags is announced. */
export interface Tagged {
  tags: readonly string[];
  /**
   * For so long after any change (ms), a load may still miss the change. The value of such a load is kept at most until
   * this time is over.
   */
  settlesMs?: number | undefined;
}

type Load<T> = (keptUntil: number | undefined) => Promise<T>;

export interface CacheOptions<T, Ready> {
  maxBytes: number;
  /** How many bytes a value takes; undefined where it must not be kept. */
  sizeOf: (value: T) => number | undefined;
  /** How many bytes a ready form takes in addition to those that it shares with its value. */
  readySizeOf?: (ready: Ready) => number;
  /**
   * When a value must not be used any more (a time of `performance.now()`); undefined where only an announcement ends
   * it.
   */
  expiryOf?: (value: T) => number | undefined;
  now?: () => number;
}

/**
 * Keeps finished answers in memory, bounded by bytes, each with the cache tags that it depends on. While announcements
 * arrive, an entry stays until one of its tags is announced. When announcements stop, all entries are dropped. Until
 * announcements come again, an entry stays for one second. When several readers ask for a key that is not kept, it is
 * loaded once for all of them.
 *
 * A value may also have names, each with a form that is ready to be sent. It is found by a name without knowing the
 * key.
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
  #live = false;
  /** When anything has changed last, for loads with `settlesMs`. What changed before the beginning is not known. */
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
        maxEntrySize: Math.ceil(maxBytes / 8),
        dispose: (entry, key) => this.#forget(key, entry),
      });
    }
  }

  /** The value kept under a key; undefined where none may be used. */
  kept(key: string): T | undefined {
    const entry = this.#entries?.get(key);
    if (!entry || !this.#isFresh(entry)) return undefined;
    this.#hits += 1;
    return entry.value;
  }

  /**
   * Loads the value of a key, or waits for a load of this key that is under way. The result of a failed load is not
   * kept. Where changes may be missed, `load` gets the time until which its value is kept at most.
   */
  load(key: string, dependency: Tagged, load: Load<T>): Promise<T> {
    this.#misses += 1;
    return this.#loads.get(key)?.promise ?? this.#load(key, dependency, load);
  }

  /** The form that is ready under a name; undefined where its value is not kept any more. */
  find(name: string): Ready | undefined {
    const named = this.#named.get(name);
    if (!named) return undefined;
    const entry = this.#entries?.get(named.key);
    if (!entry || !this.#isFresh(entry)) return undefined;
    this.#hits += 1;
    return named.ready;
  }

  /**
   * Gives a value a further name. It does nothing where the key has another value now, where the value has MOST_NAMES,
   * or where `make` returns nothing.
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
   * Replaces the value that is kept under a key by the same answer with more forms. The names of the value are dropped.
   */
  extend(key: string, value: T, extended: T): void {
    const entry = this.#entries?.peek(key);
    const bytes = this.#sizeOf(extended);
    if (entry?.value !== value || bytes === undefined) return;
    this.#unname(entry);
    this.#put(key, { ...entry, value: extended, bytes: costOf(key, bytes), names: [] });
  }

  /**
   * Drops every value that has one of the tags. A load of such a value may be under way. Its callers still get the
   * value, but the cache does not keep it.
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

  /** Tells that announcements arrive from now on. Values that were kept before may be outdated, so they are dropped. */
  resume(): void {
    this.clear();
    this.#live = true;
  }

  /**
   * Tells that announcements may be missed from now on. Some may have been missed already, so every value is dropped,
   * and values that are being loaded are not kept.
   */
  suspend(): void {
    if (this.#live) this.clear();
    this.#live = false;
  }

  /** How many values were found and not found since the process began. */
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
        // An announcement removes a load from the map, because its value may be older than the change.
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

  /** Until when the value of a load that begins now is kept at most; undefined where only an announcement ends it. */
  #keptUntil(settlesMs: number): number | undefined {
    const now = this.#now();
    const settledAt = this.#changedAt + settlesMs;
    return earlier(
      settledAt > now ? settledAt : undefined,
      this.#live ? undefined : now + UNHEARD_LIFE,
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

/** How many bytes an entry takes with its key, but without names. */
function costOf(key: string, bytes: number): number {
  return bytes + 2 * key.length + ENTRY_OVERHEAD;
}

/** The earlier of two times; undefined where there is none. */
function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
