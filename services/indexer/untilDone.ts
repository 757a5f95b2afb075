import { PlatformAway } from '../../shared/discordApi/platformErrors.js';
import { isTransient } from './permanentErrors.js';
import { rest } from './rest.js';

const AGAIN_AFTER_MS = 1_000;

/**
 * Does something again while a store or the platform is away. `onAway` is told each time. Throws any other error. Once
 * the signal is aborted, throws its reason.
 */
export async function untilDone<T>(
  signal: AbortSignal,
  run: () => Promise<T>,
  onAway: (error: unknown) => void = () => undefined,
): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await run();
    } catch (error) {
      signal.throwIfAborted();
      if (!isTransient(error) && !(error instanceof PlatformAway)) throw error;
      onAway(error);
      await rest(AGAIN_AFTER_MS, signal);
    }
  }
}
