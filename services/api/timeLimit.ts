/** Milliseconds that MongoDB may work on a read. */
const SERVER_LIMIT = 2_000;
/** Milliseconds after which a read is given up, however silent the server or full the pool. */
const CLIENT_LIMIT = 3_000;

/** Options of one read of MongoDB that keep it from lasting. */
export function timeLimit(): { maxTimeMS: number; signal: AbortSignal } {
  return { maxTimeMS: SERVER_LIMIT, signal: AbortSignal.timeout(CLIENT_LIMIT) };
}
