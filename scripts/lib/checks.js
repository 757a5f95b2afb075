import { phase, runTool } from './run.js';

/** The checks that only read the sources: the name of each, and its work. */
export const CHECKS = [
  ['lint', () => runTool('oxlint/bin/oxlint', ['--deny-warnings'])],
  ['format', () => runTool('oxfmt/bin/oxfmt', ['--check'])],
  ['import rules', checkImports],
];

/** Runs the checks at the same time, and resolves with the number of those that failed. */
export async function runChecks() {
  const passed = await Promise.all(CHECKS.map(([name, work]) => phase(name, work)));
  return passed.filter((one) => !one).length;
}

const FOLDERS = ['services', 'shared', 'test', 'bench'];

// A checker that cannot read the sources finds no violation either. So it must have seen some modules.
async function checkImports() {
  const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...FOLDERS];
  const { code, output } = await runTool('dependency-cruiser/bin/dependency-cruise.mjs', args);
  const summary = parseSummary(output);
  if (summary === undefined) return { code: 1, output };
  const { totalCruised, violations } = summary;
  if (totalCruised === 0) return { code: 1, output: 'The import checker saw no modules' };
  const lines = violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
  return { code: lines.length > 0 ? 1 : code, output: lines.join('\n') };
}

function parseSummary(output) {
  try {
    return JSON.parse(output).summary;
  } catch {
    return undefined;
  }
}
