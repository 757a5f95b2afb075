import { isFullError, REDIS_IS_FULL } from '../../shared/jobs/fullRedis.js';
import { whyAway } from '../../shared/platform/whyAway.js';
import { withoutCommand } from '../../shared/platform/withoutCommand.js';
import { CliError } from './cliError.js';
import type { Archive } from './openArchive.js';
import { safeText } from './safeText.js';

/** Throws CliError where Redis does not answer. */
export async function requireQueue({ producer }: Pick<Archive, 'producer'>): Promise<void> {
  await producer.counts().catch((error: unknown) => {
    throw new CliError(`Redis cannot be reached: ${messageOf(error)}`);
  });
}

/** Connects to the Redis of the API's statistics and announcements. Throws CliError where it does not answer. */
export async function requireCache({ cacheRedis }: Pick<Archive, 'cacheRedis'>): Promise<void> {
  const why = whyAway(cacheRedis);
  await cacheRedis.connect().catch((error: unknown) => {
    throw new CliError(
      `The Redis of CACHE_REDIS_URL cannot be reached: ${messageOf(why() ?? error)}`,
    );
  });
}

/** The message of an error in one line for the terminal. Control characters from outside are escaped. */
export function messageOf(error: unknown): string {
  return safeText(textOf(error));
}

/** The message of an error, with its line breaks, for the terminal. Other control characters are escaped. */
export function linesOf(error: unknown): string {
  return textOf(error).split('\n').map(safeText).join('\n');
}

function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return isFullError(text) ? `Redis cannot be used: ${REDIS_IS_FULL}` : withoutCommand(text);
}
