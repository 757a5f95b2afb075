import { isFullError, REDIS_IS_FULL } from '../../shared/jobs/fullRedis.js';
import { withoutCommand } from '../../shared/platform/withoutCommand.js';
import { CliError } from './cliError.js';
import type { Archive } from './openArchive.js';
import { safeText } from './safeText.js';

/** Throws CliError where Redis does not answer, or takes no job. */
export async function requireQueue({ producer }: Pick<Archive, 'producer'>): Promise<void> {
  await producer.tryStoring().catch((error: unknown) => {
    const told = messageOf(error);
    throw new CliError(isFullError(String(error)) ? told : `Redis cannot be reached: ${told}`);
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
