import { refusalOf } from '../../shared/jobs/redisRefusal.js';
import { withoutCommand } from '../../shared/platform/withoutCommand.js';
import { CliError } from './cliError.js';
import type { Archive } from './openArchive.js';
import { safeText } from './safeText.js';

/** Throws CliError where Redis does not answer, or takes no job. */
export async function requireQueue({ producer }: Pick<Archive, 'producer'>): Promise<void> {
  await producer.tryStoring().catch((error: unknown) => {
    const told = messageOf(error);
    throw new CliError(
      refusalOf(String(error)) === null ? `Redis cannot be reached: ${told}` : told,
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
  const refusal = refusalOf(text);
  return refusal === null ? withoutCommand(text) : `Redis cannot be used: ${refusal}`;
}
