import { pingMongo } from '../../shared/platform/clients.js';
import { CliError } from './cliError.js';
import type { Archive } from './openArchive.js';
import { messageOf } from './reachable.js';

/** How long MongoDB may take to answer (ms). */
const ANSWER_MS = 10_000;

/** Throws CliError where MongoDB does not answer, or takes no writes. */
export async function requireMongo({ mongo }: Pick<Archive, 'mongo'>): Promise<void> {
  await pingMongo(mongo, ANSWER_MS).catch((error: unknown) => {
    throw new CliError(`MongoDB cannot be reached: ${messageOf(error)}`);
  });
}
