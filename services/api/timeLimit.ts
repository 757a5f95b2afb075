import { PING_LIMIT_MS } from '../../shared/platform/watchStore.js';

/** A call to a store fails after this time (ms), also where the server is silent or no connection is free. */
export const CALL_LIMIT_MS = 2_500;

/** A read is answered with 503 after this time (ms), however many calls it makes. */
export const READ_LIMIT_MS = 2_800;

/** How long an API waits (ms). */
export interface TimeLimits {
  /** For the answer of a store to a ping. */
  pingMs: number;
  /** For one call to a store, and for one call to the queue. */
  callMs: number;
  /** For everything that a read needs. */
  readMs: number;
  /** After statistics were dropped, until what was read counts again; by default, their cache decides. */
  settlingMs?: number | undefined;
}

/** The limits of an API. Tests give it longer ones, so that they do not depend on the speed of their machine. */
export const TIME_LIMITS: TimeLimits = {
  pingMs: PING_LIMIT_MS,
  callMs: CALL_LIMIT_MS,
  readMs: READ_LIMIT_MS,
};
