import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, runTool } from './run.js';

/** The compiled test files in a folder of test/, in order. */
export function testFiles(folder = '') {
  return readdirSync(join(ROOT, 'dist/test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.startsWith(folder) && path.endsWith('.test.js'))
    .map((path) => `dist/test/${path}`)
    .sort();
}

/**
 * Runs mocha over compiled test files, and gives how many tests passed and failed. With several `jobs`, so many processes
 * each take a file at a time, in the order given. The report of a file is shown when it ends. A run of no tests, or one
 * that ends badly after its tests, counts as a failure.
 * @param {string[]} paths of files
 * @param {Record<string, string | undefined>} env
 * @param {{ jobs?: number }} options
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runTests(paths, env, { jobs = 1 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'forum-archive-result-'));
  const file = join(folder, 'result.json');
  const reporter = join(ROOT, 'scripts/lib/mochaReporter.cjs');
  const parallel = jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : [];
  const args = [...paths, ...parallel, '--reporter', reporter, '--reporter-option', `file=${file}`];
  // A process that is asked to end never comes to the next lines.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { code } = await runTool('mocha/bin/mocha.js', args, { env, show: true });
  const { passed, failed } = readResult(file);
  return { passed, failed: code !== 0 || passed === 0 ? Math.max(1, failed) : failed };
}

function readResult(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { passed: 0, failed: 1 };
  }
}
