import { MongoError } from 'mongodb';
import { isStoreAway } from '../../shared/platform/storeErrors.js';
import { CliError } from './cliError.js';
import { findAway } from './findAway.js';
import type { Archive } from './openArchive.js';
import { messageOf } from './reachable.js';

/** What the driver of Redis says when no answer has come in time. */
const REDIS_TIMEOUT = 'Command timed out';

/**
 * Makes an error that names the store which is away. A driver's error does not tell that, so the stores are asked. Where
 * all of them answer again by now, it says so. Resolves with the same error where no store was away.
 */
export async function explainAway(archive: Archive, error: unknown): Promise<unknown> {
  const away = await findAway(archive);
  if (away !== null) return new CliError(away);
  const store = storeOf(error);
  if (store === null) return error;
  return new CliError(
    `${store} did not answer for a while, and answers now: run the command again (${messageOf(error)})`,
  );
}

function storeOf(error: unknown): string | null {
  if ((error as Error).message === REDIS_TIMEOUT) return 'Redis';
  if (!isStoreAway(error)) return null;
  return error instanceof MongoError ? 'MongoDB' : 'A store';
}
