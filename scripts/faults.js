import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare, requireNode } from './lib/project.js';
import { ROOT } from './lib/run.js';

requireNode();
if (!(await prepare())) process.exit(1);
// The first word chooses the run on several members of each engine.
const [first, ...rest] = process.argv.slice(2);
const isScale = first === 'scale';
const script = join(ROOT, 'dist/test/faults', isScale ? 'scale/main.js' : 'main.js');
const args = isScale ? rest : process.argv.slice(2);
process.exit(spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' }).status ?? 1);
