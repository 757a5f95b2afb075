import { readSettings } from '../../shared/platform/env.js';
import { giveWay } from '../../shared/platform/giveWay.js';
import { SettingsError } from '../../shared/platform/settingsError.js';
import { LaunchError } from '../local/launchError.js';
import { CliError } from './cliError.js';
import { findServers } from './findServers.js';
import type { Archive } from './openArchive.js';
import { printResult } from './printResult.js';

/** The result of a command: JSON for `--json`, lines for people, and whether all went well. */
export interface Result {
  json: object;
  lines: string[];
  ok: boolean;
  /** The job that it filed. */
  jobId?: string;
}

/** How a command runs. */
export interface RunOptions {
  json?: boolean;
  /** Whether it starts the local servers where none run. */
  mayStart?: boolean;
  /** Whether it also runs while MongoDB is away. */
  withoutMongo?: boolean;
}

/**
 * Runs a command on the archive. First it tells on standard error which archive that is. It prints the result to
 * standard output, and sets exit code 1 where the result is not ok. Throws CliError while MongoDB is away.
 */
export async function runCommand(
  { json: asJson = false, mayStart = false, withoutMongo = false }: RunOptions,
  command: (archive: Archive) => Promise<Result>,
): Promise<void> {
  const settings = readSettings();
  const found = await findServers(settings, { mayStart });
  // Servers that were started earlier do not inherit the priority.
  giveWay(settings.BACKGROUND_NICE);
  // Loading the drivers takes long, so they are loaded only when there is an archive to open.
  const { openArchive } = await import('./openArchive.js');
  const { requireMongo } = await import('./requireMongo.js');
  const archive = openArchive(found);
  try {
    warn(archive.shown);
    if (!withoutMongo) await requireMongo(archive);
    const result = await command(archive);
    printResult(result, asJson);
    if (!result.ok) process.exitCode = 1;
  } catch (error) {
    throw await explained(archive, error);
  } finally {
    await archive.close();
  }
}

/** Adds to an error which store is or was away. */
async function explained(archive: Archive, error: unknown): Promise<unknown> {
  const isTold = [CliError, LaunchError, SettingsError].some((kind) => error instanceof kind);
  if (isTold) return error;
  const { explainAway } = await import('./explainAway.js');
  return explainAway(archive, error);
}

/** Prints a line to standard error, apart from the result. */
export function warn(line: string): void {
  process.stderr.write(`${line}\n`);
}
