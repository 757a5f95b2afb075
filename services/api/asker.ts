/** The name whose limit a request counts towards. */
export interface Asker {
  /** The address, key or user. It is the same in all requests of one asker. */
  name: string;
  /** Whether the limit has room for `more` further requests. */
  affords(more: number): boolean;
  /** Counts `more` further requests. Throws RATE_LIMITED where they exceed the limit. */
  charge(more: number): void;
}
