import { LRUCache } from 'lru-cache';

interface Entry<T> {
  value: T;
  tags: readonly string[];
  storedAt: number;
}

/** How long (ms) an entry lasts while announcements cannot be received. */
const UNHEARD_LIFE = 1_000;
/** Bytes that an entry costs beside its body: key, tags, headers, bookkeeping. */
const ENTRY_OVERHEAD = 512;

export interface CacheOptions<T> {
  maxBytes: number;
  /** Bytes of a value; undefined when it must not be kept. */
  sizeOf: (value: T) => number | undefined;
  now?: () => number;
}

/**
 * Finished answers in memory, bounded by bytes, each with the cache tags that it depends on. While announcements
 * arrive, an entry stays until one of its tags is announced. While they do not, it stays for one second. When several
 * readers ask for a key that is not there, it is loaded once for all of them.
 */
export class ResponseCache<T extends object> {
  readonly #entries: LRUCache<string, Entry<T>> | undefined;
  readonly #loads = new Map<string, { promise: Promise<T>; tags: readonly string[] }>();
  readonly #keysByTag = new Map<string, Set<string>>();
  readonly #sizeOf: CacheOptions<T>['sizeOf'];
  readonly #now: () => number;
  #live = false;
  #hits = 0;
  #misses = 0;

  constructor({ maxBytes, sizeOf, now = Date.now }: CacheOptions<T>) {
    this.#sizeOf = sizeOf;
    this.#now = now;
    if (maxBytes > 0) {
      this.#entries = new LRUCache({
        maxSize: maxBytes,
        maxEntrySize: Math.ceil(maxBytes / 8),
        dispose: (entry, key) => this.#untag(key, entry.tags),
      });
    }
  }

  /** The kept value of a key, else what `load` brings. A failed load is not kept. */
  get(key: string, tags: readonly string[], load: () => Promise<T>): Promise<T> {
    const entry = this.#entries?.get(key);
    if (entry && (this.#live || this.#now() - entry.storedAt < UNHEARD_LIFE)) {
      this.#hits += 1;
      return Promise.resolve(entry.value);
    }
    this.#misses += 1;
    return this.#loads.get(key)?.promise ?? this.#load(key, tags, load);
  }

  /** Drops every value that carries one of the tags. What is being loaded under one of them is sent, but not kept. */
  invalidate(tags: readonly string[]): void {
    for (const tag of tags) {
      for (const key of [...(this.#keysByTag.get(tag) ?? [])]) this.#entries?.delete(key);
    }
    const changed = new Set(tags);
    for (const [key, load] of this.#loads) {
      if (load.tags.some((tag) => changed.has(tag))) this.#loads.delete(key);
    }
  }

  /** Drops every value, and keeps nothing that is being loaded. */
  clear(): void {
    this.#entries?.clear();
    this.#loads.clear();
  }

  /** Announcements arrive from now on. Values that were kept before may be outdated, so they are dropped. */
  resume(): void {
    this.clear();
    this.#live = true;
  }

  /** Announcements may be missed from now on. */
  suspend(): void {
    this.#live = false;
  }

  /** Values found and not found since the process began. */
  get traffic(): { hits: number; misses: number } {
    return { hits: this.#hits, misses: this.#misses };
  }

  /** Number of values kept and their bytes. */
  get size(): { entries: number; bytes: number } {
    return { entries: this.#entries?.size ?? 0, bytes: this.#entries?.calculatedSize ?? 0 };
  }

  #load(key: string, tags: readonly string[], load: () => Promise<T>): Promise<T> {
    const flight = { promise: load(), tags };
    this.#loads.set(key, flight);
    flight.promise.then(
      (value) => {
        // An announcement removes a load from the map, since its value may be older than what was announced.
        if (this.#loads.get(key) !== flight) return;
        this.#loads.delete(key);
        this.#keep(key, { value, tags, storedAt: this.#now() });
      },
      () => {
        if (this.#loads.get(key) === flight) this.#loads.delete(key);
      },
    );
    return flight.promise;
  }

  #keep(key: string, entry: Entry<T>): void {
    const bytes = this.#sizeOf(entry.value);
    if (bytes === undefined || !this.#entries) return;
    this.#entries.set(key, entry, { size: bytes + 2 * key.length + ENTRY_OVERHEAD });
    if (!this.#entries.has(key)) return;
    for (const tag of entry.tags) {
      const keys = this.#keysByTag.get(tag);
      if (keys) keys.add(key);
      else this.#keysByTag.set(tag, new Set([key]));
    }
  }

  #untag(key: string, tags: readonly string[]): void {
    for (const tag of tags) {
      const keys = this.#keysByTag.get(tag);
      keys?.delete(key);
      if (keys?.size === 0) this.#keysByTag.delete(tag);
    }
  }
}
