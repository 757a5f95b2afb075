import type { Logger } from '../../../shared/platform/logger.js';

/** Whether the indexer announces changes through the Redis that this process listens to. */
export interface BeatWatch {
  /** It announces through another one, so nothing that it says arrives. */
  readonly isApart: boolean;
  stop(): void;
}

/**
 * So many of the last tokens count, and so many of these have to be missing. One alone may be missing, because a Redis
 * may be emptied, and because the last token of an indexer that was stopped has expired. Of several indexers, a single
 * one may announce through another Redis.
 */
const COUNTED = 4;
const FEWEST_MISSING = 2;

/** What is wrong, and what to do. */
export const APART =
  'the indexer announces changes through another Redis: give it and the API the same CACHE_REDIS_URL or REDIS_URL';

/**
 * Looks for the tokens of the indexer until `stop` is called. `read` resolves with whether a new token is in the Redis of
 * this process; with undefined where there is no new token. Logs changes, and passes them on to `onChange`.
 */
export function watchBeats(
  read: () => Promise<boolean | undefined>,
  {
    logger,
    onChange,
    everyMs,
  }: { logger: Logger; onChange: (isApart: boolean) => void; everyMs: number },
): BeatWatch {
  let counted: boolean[] = [];
  let isApart = false;
  const look = async (): Promise<void> => {
    const isHeld = await read();
    if (isHeld === undefined) return;
    counted = [...counted, isHeld].slice(-COUNTED);
    const missing = counted.filter((held) => !held).length;
    if (isApart === missing >= FEWEST_MISSING) return;
    isApart = !isApart;
    if (isApart) logger.warn(`Answers are cached for a second only: ${APART}`);
    else logger.info('The indexer announces changes through the same Redis again');
    onChange(isApart);
  };
  // Where a store is away, its own watch logs that.
  const timer = setInterval(() => void look().catch(() => undefined), everyMs).unref();
  return {
    get isApart() {
      return isApart;
    },
    stop: () => clearInterval(timer),
  };
}
