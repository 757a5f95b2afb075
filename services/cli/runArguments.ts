import { CommanderError } from 'commander';
import { SettingsError } from '../../shared/platform/settingsError.js';
import { createProgram } from './program.js';
import { linesOf } from './reachable.js';

const USAGE_ERROR = 2;

/** Runs the command that the arguments name. Prints an error, and sets the exit code of the process. */
export async function runArguments(args: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode !== 0) process.exitCode = USAGE_ERROR;
    } else {
      process.stderr.write(`${errorLines(error)}\n`);
      process.exitCode = 1;
    }
  }
}

function errorLines(error: unknown): string {
  const lines = linesOf(error);
  return error instanceof SettingsError ? lines : `Error: ${lines}`;
}
