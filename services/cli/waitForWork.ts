import { setTimeout as pause } from 'node:timers/promises';
import { CliError } from './cliError.js';
import { findObstacle } from './findObstacle.js';
import type { Archive } from './openArchive.js';
import type { Progress } from './progress.js';
import { messageOf } from './reachable.js';

const POLL_MS = 250;
/** The part of the time that looks may take. Where one takes longer, looks are further apart. */
const LOOKING_PART = 0.05;
const LONGEST_POLL_MS = 5_000;
/** What keeps the work from going on is looked for when the work has stood still for so long (ms). */
const STILL_MS = 10_000;

/** Work that somebody else does, and a command waits for. */
export interface Work<T> {
  /** Tells how far it has come and, at its end, what came of it. Throws CliError where its end will never come. */
  look: () => Promise<{ done: number; outcome?: T }>;
  /** Why it stands still although nothing keeps the indexer from it; null where nothing is known. */
  why?: () => Promise<string | null>;
  /** Nothing is being started for it, so what keeps the indexer from it is said at once. */
  isAtOnce?: boolean;
}

/** What is needed to watch work. */
export type Watched = Pick<Archive, 'crashed' | 'elasticsearch' | 'mongo' | 'producer'>;

/**
 * Waits until work has ended, and resolves with what came of it. Meanwhile it shows how far the work has come, and says
 * what keeps it from going on. While a store is away, the work waits for it, and so does this. But a server that this
 * command started does not come back. So where one has crashed, this throws the reason.
 */
export async function waitForWork<T>(
  archive: Watched,
  { look, why = () => Promise.resolve(null), isAtOnce = false }: Work<T>,
  progress: Pick<Progress, 'advance' | 'say'>,
): Promise<T> {
  let shown = 0;
  let crash: Error | undefined;
  archive.crashed?.catch((error: unknown) => {
    crash = error as Error;
  });
  let movedAt = performance.now();
  let isDue = isAtOnce;
  let said: string | undefined;
  const sayWhy = async (explain: () => Promise<string | null>): Promise<void> => {
    const isStill = performance.now() - movedAt >= STILL_MS;
    if (crash || (!isStill && !isDue)) return;
    isDue = false;
    const reason = (await findObstacle(archive)) ?? (isStill ? await explain() : null);
    movedAt = performance.now();
    // The same obstacle may be told with another error of a connection after the colon.
    const obstacle = reason?.split(':', 1)[0];
    if (reason === null || obstacle === said) return;
    said = obstacle;
    progress.say(reason);
  };
  for (;;) {
    if (crash) throw crash;
    const askedAt = performance.now();
    let tookMs = 0;
    try {
      const { done, outcome } = await look();
      tookMs = performance.now() - askedAt;
      if (done > shown) {
        progress.advance(done - shown);
        shown = done;
        movedAt = performance.now();
        said = undefined;
      }
      if (outcome !== undefined) return outcome;
      await sayWhy(why);
    } catch (error) {
      if (error instanceof CliError) throw error;
      await sayWhy(() => Promise.resolve(messageOf(error)));
    }
    await pause(Math.min(Math.max(POLL_MS, tookMs / LOOKING_PART), LONGEST_POLL_MS));
  }
}
