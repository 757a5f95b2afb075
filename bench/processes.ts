import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onAsked } from '../test/support/onAsked.js';

/** How a process of this project is started. */
export interface Start {
  args?: readonly string[];
  env: NodeJS.ProcessEnv;
  stdio: StdioOptions;
  /**
   * Whether the process leads a session of its own, as processes of the launcher and of `setsid` do. Otherwise it
   * belongs to the session of the benchmark. Linux may give each session the same share of the processor.
   */
  ownSession?: boolean;
}

onAsked(() => process.exit(1));

/** Makes a folder. It is removed when this process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'forum-archive-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts a service or the command line. It is killed when this process ends. */
export function startProcess(
  name: 'api' | 'indexer' | 'cli',
  { args = [], env, stdio, ownSession = false }: Start,
): ChildProcess {
  const main = fileURLToPath(new URL(`../services/${name}/main.js`, import.meta.url));
  const child = spawn(process.execPath, [main, ...args], { env, stdio, detached: ownSession });
  // A process that lives longer than the benchmark would disturb later measurements.
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

/** Asks a process to end, and waits until it has ended. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
