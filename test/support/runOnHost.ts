import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Done, Order } from './cliHost.js';
import type { CommandResult } from './runCli.js';

const HOST = fileURLToPath(new URL('./cliHost.js', import.meta.url));

/** Host processes without a command. While it runs, each command has a host to itself. */
const idle: ChildProcess[] = [];

/**
 * Runs the command line as `runCli` does, but in a process that stays for the next command, because loading the drivers
 * takes a second. Rejects where the command leaves anything open. It is not for tests of how a process of the command
 * line begins or ends.
 */
export async function runOnHost(
  env: Record<string, string>,
  args: readonly string[],
): Promise<CommandResult> {
  const host = idle.pop() ?? fork(HOST, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  host.ref();
  host.channel!.ref();
  const failed = new AbortController();
  const ended = () => failed.abort(new Error(`It ended: ${args.join(' ')}`));
  host.once('exit', ended);
  host.send({ env: { ...process.env, ...env }, args } satisfies Order);
  const [{ result, left }] = (await once(host, 'message', { signal: failed.signal })) as [Done];
  host.off('exit', ended);
  // An idle host must not keep a program alive whose work is done. It ends together with that program.
  host.unref();
  host.channel!.unref();
  idle.push(host);
  if (left.length > 0) throw new Error(`${args.join(' ')} left open: ${left.join(', ')}`);
  return result;
}
