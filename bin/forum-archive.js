#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { prepare, requireNode } from '../scripts/lib/project.js';

const main = new URL('../dist/services/cli/main.js', import.meta.url);

requireNode();
// Standard output belongs to the command, which may print JSON.
if (!existsSync(main) && !(await prepare(console.error))) process.exit(1);
try {
  await import(main.href);
} catch (error) {
  if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
  // The compiler writes only what has changed since its last run. So it does not bring back a file that was lost.
  console.error(
    `Error: ${error.message}\nRun npm ci, remove the folder dist, and run npm run build`,
  );
  process.exitCode = 1;
}
