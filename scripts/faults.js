import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { prepare, requireNode } from './lib/project.js';
import { ROOT } from './lib/run.js';

requireNode();
if (!(await prepare())) process.exit(1);
const script = join(ROOT, 'dist/test/faults/main.js');
const args = process.argv.slice(2);
process.exit(spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' }).status ?? 1);
