import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, runTool } from './run.js';

/** Compiled test files under a folder of test/, in order. */
export function testFiles(folder = '') {
  return readdirSync(join(ROOT, 'dist/test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.startsWith(folder) && path.endsWith('.test.js'))
    .map((path) => `dist/test/${path}`)
    .sort();
}

/**
 * Runs mocha over groups of compiled test files, each group in a process of its own beside the others, and gives how
 * many tests passed and failed. The first group's report is shown as it comes, the others' when they end.
 * @param {string[][]} groups paths of files
 * @param {Record<string, string | undefined>} env
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runTests(groups, env) {
  const results = await Promise.all(
    groups.map((paths, index) => runGroup(paths, env, index === 0)),
  );
  const total = (name) => results.reduce((sum, result) => sum + result[name], 0);
  return { passed: total('passed'), failed: total('failed') };
}

/** A run of no tests, or one that ends badly after its tests, counts as a failure. */
async function runGroup(paths, env, show) {
  const folder = mkdtempSync(join(tmpdir(), 'forum-archive-result-'));
  const file = join(folder, 'result.json');
  const reporter = join(ROOT, 'scripts/lib/mochaReporter.cjs');
  const args = [...paths, '--reporter', reporter, '--reporter-option', `file=${file}`];
  try {
    const { code, output } = await runTool('mocha/bin/mocha.js', args, { env, show });
    if (!show) console.log(output);
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
