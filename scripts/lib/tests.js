import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, runTool } from './run.js';

/**
 * Runs mocha over compiled test files, its report on the terminal, and gives how many tests passed and failed.
 * A run of no tests, or one that ends badly after its tests, counts as a failure.
 * @param {string} spec a glob under the project's folder
 * @param {Record<string, string | undefined>} env
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runTests(spec, env) {
  const folder = mkdtempSync(join(tmpdir(), 'forum-archive-result-'));
  const file = join(folder, 'result.json');
  const reporter = join(ROOT, 'scripts/lib/mochaReporter.cjs');
  const args = ['--spec', spec, '--reporter', reporter, '--reporter-option', `file=${file}`];
  try {
    const { code } = await runTool('mocha/bin/mocha.js', args, { env, show: true });
    const { passed, failed } = readResult(file);
    return { passed, failed: code !== 0 || passed === 0 ? Math.max(1, failed) : failed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readResult(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 1 };
  }
}
