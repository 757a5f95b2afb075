/** What is wrong with a Redis whose memory is full: it answers, but refuses whatever would be stored. */
export const REDIS_IS_FULL =
  'its memory is full, so it takes no more jobs: raise its maxmemory, or remove what else it holds';

/** Whether Redis says by an error that its memory is full. Scripts put words of their own before it. */
export function isFullError(message: string): boolean {
  return /\bOOM command not allowed\b/.test(message);
}

/** Whether Redis says by the answer to `INFO memory` that its memory is full. It has no limit where `maxmemory` is 0. */
export function isFull(info: string): boolean {
  const limit = numberOf(info, 'maxmemory');
  return limit > 0 && numberOf(info, 'used_memory') >= limit;
}

function numberOf(info: string, name: string): number {
  return Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
}
