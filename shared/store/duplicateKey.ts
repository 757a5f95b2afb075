const DUPLICATE_KEY = 11_000;

/** Whether MongoDB refused a write because a document with its `_id`, or another unique key of it, is there. */
export function isDuplicateKey(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === DUPLICATE_KEY;
}
