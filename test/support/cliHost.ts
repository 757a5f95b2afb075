/** A process that runs one command of the command line after the other. So its modules are loaded only once. */
import { runArguments } from '../../services/cli/runArguments.js';
import type { CommandResult } from './runCli.js';

/** A command, and variables that are added to the environment. */
export interface Order {
  env: Record<string, string>;
  args: readonly string[];
}

const environment = { ...process.env };

process.on('message', (order: Order) => void run(order));

async function run({ env, args }: Order): Promise<void> {
  process.env = { ...environment, ...env };
  process.exitCode = 0;
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  await runArguments(args);
  const result: CommandResult = {
    code: process.exitCode,
    stdout: stdout(),
    stderr: stderr(),
  };
  process.exitCode = 0;
  process.send!(result);
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
