import { spawn } from 'node:child_process';
import type { CommandResult } from './runCli.js';
import { CLI } from './runCli.js';

/**
 * A Python program that runs its arguments on a terminal of their own, passes on standard input, and exits as they do.
 */
const TERMINAL = `
import os, pty, sys
sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
`;

/**
 * Runs the command line on a terminal. There, somebody types `answer` when asked, or when another text is shown. stdout
 * holds everything that the terminal shows. Standard error goes to the file `errorsTo` instead where that is given.
 */
export function runOnTerminal(
  env: Record<string, string>,
  args: readonly string[],
  answer: string,
  { when = '[y/N]', errorsTo }: { when?: string; errorsTo?: string } = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const redirected = errorsTo === undefined ? [] : ['sh', '-c', 'exec "$@" 2>"$0"', errorsTo];
    const command = [...redirected, process.execPath, CLI, ...args];
    const child = spawn('python3', ['-c', TERMINAL, ...command], {
      env: { ...process.env, ...env },
      // A command that asks once more would wait for ever.
      timeout: 240_000,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (stdout.includes(when)) child.stdin.end(answer);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, stdout, stderr }));
  });
}
