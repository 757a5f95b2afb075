import { prepare, requireNode } from './lib/project.js';

requireNode();
if (!(await prepare())) process.exit(1);
// It runs in this process, so that only one process handles a signal.
await import(new URL('../dist/test/contract/main.js', import.meta.url));
