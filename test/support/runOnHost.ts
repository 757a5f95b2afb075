import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Order } from './cliHost.js';
import type { CommandResult } from './runCli.js';

const HOST = fileURLToPath(new URL('./cliHost.js', import.meta.url));

/** Hosts without a command. Each command has a host of its own while it runs. */
const idle: ChildProcess[] = [];

/**
 * Runs the command line as `runCli` does, but in a process that stays for the next command: loading the drivers takes a
 * second. For tests that use the command line, not for tests of it.
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
  host.send({ env, args } satisfies Order);
  const [result] = (await once(host, 'message', { signal: failed.signal })) as [CommandResult];
  host.off('exit', ended);
  // An idle host must not keep a program alive that has done its work. It ends with that program.
  host.unref();
  host.channel!.unref();
  idle.push(host);
  return result;
}

/** Lets the hosts end. One that something keeps alive is found by the check for what is left open. */
export function endHosts(): void {
  for (const host of idle.splice(0)) {
    host.ref();
    host.disconnect();
  }
}
