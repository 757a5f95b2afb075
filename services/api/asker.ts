/** Under whose limit a request counts. */
export interface Asker {
  /** Names the address, key or user; the same in all its requests. */
  name: string;
  /** Whether the limit has room for so many more requests. */
  affords(more: number): boolean;
  /** Counts so many more requests. Throws RATE_LIMITED when that is too many. */
  charge(more: number): void;
}
