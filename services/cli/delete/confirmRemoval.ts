import { createInterface } from 'node:readline/promises';
import { warn } from '../runCommand.js';
import type { Target } from './target.js';

/** Shows on a terminal what will be removed, and asks whether to go on. Without a terminal, it returns true. */
export async function confirmRemoval(target: Target): Promise<boolean> {
  if (!process.stdin.isTTY) return true;
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
