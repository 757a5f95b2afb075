import { runArguments } from './runArguments.js';

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Whoever read the output, such as `head`, has read enough.
  if (error.code === 'EPIPE') return;
  process.stderr.write(`Error: The output cannot be written: ${error.message}\n`);
  process.exitCode = 1;
});
// Where standard error cannot be written to, the command still goes on.
process.stderr.on('error', () => undefined);

await runArguments(process.argv.slice(2));
