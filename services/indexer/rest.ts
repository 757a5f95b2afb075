import { setTimeout as pause } from 'node:timers/promises';

/** Rests for some time (ms), or until the signal is aborted; never rejects. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await pause(ms, undefined, { signal }).catch(() => undefined);
}
