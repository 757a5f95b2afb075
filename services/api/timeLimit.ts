/** The most time (ms) that MongoDB may work on a read. */
const SERVER_LIMIT_MS = 2_000;

/** A call to a store fails after this time (ms), also when the server is silent or the pool is full. */
export const CALL_LIMIT_MS = 2_500;

/** Milliseconds after which a read is answered with 503, however many calls it makes. */
export const READ_LIMIT_MS = 2_800;

/** The options that bound one read of MongoDB in time. The guard of its calls bounds a server that is silent. */
export function timeLimit(): { maxTimeMS: number } {
  return { maxTimeMS: SERVER_LIMIT_MS };
}
