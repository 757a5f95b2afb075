import { join } from 'node:path';
import { prepare, requireNode } from './lib/project.js';
import { ROOT, run } from './lib/run.js';

requireNode();
if (!(await prepare())) process.exit(1);
// The first argument selects a run: the one with several members of each engine, or the one of the sync.
const [first, ...rest] = process.argv.slice(2);
const isNamed = first === 'scale' || first === 'sync';
const script = join(ROOT, 'dist/test/faults', isNamed ? `${first}/main.js` : 'main.js');
const args = isNamed ? rest : process.argv.slice(2);
process.exit((await run(process.execPath, [script, ...args], { show: true })).code);
