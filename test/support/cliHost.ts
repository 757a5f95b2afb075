/** A process that runs one command of the command line after the other. So its modules are loaded only once. */
import { runArguments } from '../../services/cli/runArguments.js';
import { countResources, leftOpen } from './openResources.js';
import type { CommandResult } from './runCli.js';

/** A command, and its environment. */
export interface Order {
  env: NodeJS.ProcessEnv;
  args: readonly string[];
}

/** How a command has ended, and what it has left open. */
export interface Done {
  result: CommandResult;
  left: string[];
}

process.on('message', (order: Order) => void run(order));
// The tests have ended, perhaps in the middle of a command.
process.on('disconnect', () => process.exit());

async function run({ env, args }: Order): Promise<void> {
  process.env = env;
  process.exitCode = 0;
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  const before = countResources();
  await runArguments(args);
  const result: CommandResult = {
    code: process.exitCode,
    stdout: stdout(),
    stderr: stderr(),
  };
  process.exitCode = 0;
  process.send!({ result, left: await leftOpen(before) } satisfies Done);
}

/** Captures what is written to a stream. The returned function gives it. */
function capture(stream: NodeJS.WriteStream): () => string {
  const write = stream.write.bind(stream);
  let text = '';
  stream.write = (piece: string | Uint8Array) => {
    text += String(piece);
    return true;
  };
  return () => {
    stream.write = write;
    return text;
  };
}
