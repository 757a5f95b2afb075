import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Not `once`: a second signal would end this process before its children are ended.
  process.on(signal, () => process.exit(1));
}

/** Ends a child when this process ends: one that is left behind would disturb whatever is measured next. */
export function endWithThisProcess(child: ChildProcess): void {
  process.once('exit', () => child.kill('SIGKILL'));
}

/** Stops a child, and waits until it has ended. */
export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
