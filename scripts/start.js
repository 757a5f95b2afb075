import { spawn } from 'node:child_process';
import { COMPILER, prepare, requireNode } from './lib/project.js';
import { ROOT } from './lib/run.js';

requireNode();
if (!(await prepare())) process.exit(1);

const flags = process.argv.slice(2);
if (flags.includes('--watch')) {
  const compiler = [`node_modules/${COMPILER}`, '-p', '.', '--watch', '--preserveWatchOutput'];
  const watcher = spawn(process.execPath, compiler, { cwd: ROOT, stdio: 'inherit' });
  process.on('exit', () => watcher.kill());
}

// It runs in this process, so that only one process handles a signal.
const main = new URL('../dist/services/local/main.js', import.meta.url);
process.argv.splice(1, process.argv.length, main.pathname, 'start', ...flags);
await import(main.href);
