import { prepare, requireNode } from './lib/project.js';

requireNode();
if (!(await prepare())) process.exit(1);
// In this same process, so that a signal has one receiver.
await import(new URL('../dist/test/demo/main.js', import.meta.url));
