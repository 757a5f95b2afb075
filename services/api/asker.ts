/** Who sent a request, as the rate limits see it. */
export interface Asker {
  /** The address, key or user that the request is counted under, or would be where nothing is limited. */
  name: string;
  /** Whether `more` further requests would stay within the limit. */
  affords(more: number): boolean;
  /** Counts `more` further requests. Throws RATE_LIMITED where they exceed the limit. */
  charge(more: number): void;
}
