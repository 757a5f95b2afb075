import { createInterface } from 'node:readline/promises';
import { CliError } from '../cliError.js';
import { warn } from '../runCommand.js';
import type { Target } from './target.js';

/**
 * Shows on a terminal what will be removed, and asks whether to go on. Where standard input is no terminal, it returns
 * true. Throws CliError where the question would not be seen, because standard error is no terminal.
 */
export async function confirmRemoval(target: Target): Promise<boolean> {
  if (!process.stdin.isTTY) return true;
  if (!process.stderr.isTTY) {
    throw new CliError(
      'Nothing was removed: the question whether to remove it is asked on standard error, which is no terminal here. Add --yes to remove it without a question',
    );
  }
  for (const line of await target.describe()) warn(line);
  return /^y(es)?$/i.test((await ask('Remove it for good? [y/N] ')).trim());
}

/** The answer to a question; empty where there is none. */
async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  try {
    return await Promise.race([terminal.question(question), closed]);
  } finally {
    terminal.close();
  }
}
