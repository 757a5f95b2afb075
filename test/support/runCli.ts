import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The result of a command of the command line. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** The compiled command line. */
export const CLI = fileURLToPath(new URL('../../services/cli/main.js', import.meta.url));

/**
 * Runs the command line in a process of its own, as a person would. `env` is added to the environment of this process.
 */
export function runCli(
  env: Record<string, string>,
  args: readonly string[],
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [CLI, ...args],
      { env: { ...process.env, ...env }, maxBuffer: 1 << 26 },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode ?? 1, stdout, stderr });
      },
    );
  });
}
