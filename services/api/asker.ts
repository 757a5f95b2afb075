/** Whom a request counts for. */
export interface Asker {
  /** The address, key or user; the same for all that one of them asks. */
  name: string;
  /** Whether the request may still be counted as so many more. */
  affords(more: number): boolean;
  /** Counts the request as so many more. Throws RATE_LIMITED when that is too many. */
  charge(more: number): void;
}
