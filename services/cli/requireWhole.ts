import type { ClientSession } from 'mongodb';
import type { Mongo } from '../../shared/platform/clients.js';
import { isPartlyRestored } from '../../shared/store/restore.js';
import { CliError } from './cliError.js';

/**
 * Throws CliError where only a part of the archive is restored, as the session sees it. A copy of that part would look
 * whole.
 */
export async function requireWhole(
  { collections }: Pick<Mongo, 'collections'>,
  session?: ClientSession,
): Promise<void> {
  if (await isPartlyRestored(collections, session))
    throw new CliError('A restore of this archive goes on, or was cut off: it is not whole yet');
}
