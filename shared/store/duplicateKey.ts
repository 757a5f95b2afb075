const DUPLICATE_KEY = 11_000;

/**
 * Whether MongoDB refused a write because a document with the same `_id`, or the same value of another unique key,
 * exists.
 */
export function isDuplicateKey(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === DUPLICATE_KEY;
}
