import { CliError } from './cliError.js';
import { reasonOf } from './walkFiles.js';

/** The error to throw when a path could not be written. An error of the file system becomes one that names the path. */
export function writeError(path: string, error: unknown): unknown {
  return isOfFiles(error) ? new CliError(`${path} cannot be written: ${reasonOf(error)}`) : error;
}

/** Whether an error comes from the file system. The drivers of the stores throw errors of their own. */
function isOfFiles(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
