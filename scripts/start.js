import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { COMPILER, forgetBuild, prepare, requireNode } from './lib/project.js';
import { ROOT } from './lib/run.js';

requireNode();
if (!(await prepare())) process.exit(1);

const flags = process.argv.slice(2);
if (flags.includes('--watch')) {
  forgetBuild();
  watchSources();
}

// It runs in this process, so that only one process handles a signal.
const main = new URL('../dist/services/local/main.js', import.meta.url);
process.argv.splice(1, process.argv.length, main.pathname, 'start', ...flags);
await import(main.href);

/**
 * Has the compiler follow the sources, under a guard (see guard.ts). It is a program that starts another one, and the
 * guard ends both with this process, even if this process is killed.
 */
function watchSources() {
  const guard = fileURLToPath(new URL('../dist/services/local/guard.js', import.meta.url));
  const args = [`node_modules/${COMPILER}`, '-p', '.', '--watch', '--preserveWatchOutput'];
  const spec = JSON.stringify({ command: process.execPath, args, cwd: ROOT, graceMs: 5_000 });
  const stdio = ['pipe', 'inherit', 'inherit', 'ignore'];
  spawn(process.execPath, [guard, spec], { stdio, detached: true });
}
