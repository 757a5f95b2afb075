import { fileURLToPath } from 'node:url';
import { prepare, requireNode } from './lib/project.js';

requireNode();
if (!(await prepare())) process.exit(1);
// The first argument selects a run: the one with several members of each engine, or the one of the sync.
const first = process.argv[2];
const isNamed = first === 'scale' || first === 'sync';
const name = isNamed ? `${first}/main.js` : 'main.js';
const main = new URL(`../dist/test/faults/${name}`, import.meta.url);
// It runs in this process, so that only one process handles a signal. It reads the arguments behind its own path.
process.argv.splice(1, isNamed ? 2 : 1, fileURLToPath(main));
await import(main.href);
