/** Milliseconds that MongoDB may work on a read. */
const SERVER_LIMIT = 2_000;

/** Milliseconds after which a call to a store is given up, however silent the server or full the pool. */
export const CALL_LIMIT_MS = 2_500;

/** Milliseconds after which a read is answered with 503, however many calls it makes. */
export const READ_LIMIT_MS = 2_800;

/** Options of one read of MongoDB that keep it from lasting. */
export function timeLimit(): { maxTimeMS: number; signal: AbortSignal } {
  return { maxTimeMS: SERVER_LIMIT, signal: AbortSignal.timeout(CALL_LIMIT_MS) };
}
