import { AT_ONCE } from '../../../shared/store/work.js';

/** A thread of fewer messages is built so fast that it need not rest. */
const LONG_THREAD = 1_000;
/** How long (ms) a long thread rests for each of its messages, and the longest rest. */
const REST_A_MESSAGE_MS = 1;
const LONGEST_REST_MS = 10_000;

/**
 * When a thread of so many messages is to be built again, while messages keep coming. A build reads and renders all
 * messages of its thread, which takes about 0.1 ms of processor time for each. If a long thread were built whenever a
 * message or a page of messages has come, the cost of all builds would grow with the square of its length. So it rests,
 * and what comes meanwhile is built together.
 */
export function nextBuildDue(messages: number): Date {
  if (messages < LONG_THREAD) return AT_ONCE;
  return new Date(Date.now() + Math.min(messages * REST_A_MESSAGE_MS, LONGEST_REST_MS));
}
