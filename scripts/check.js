import { runChecks } from './lib/checks.js';
import { prepare, requireNode } from './lib/project.js';
import { runTests, testFiles } from './lib/tests.js';

requireNode();
if (!(await prepare())) process.exit(1);
const failedChecks = await runChecks();
const { passed, failed } = await runTests(testFiles('unit/'), process.env);
console.log(`${passed} passed, ${failed + failedChecks} failed`);
process.exit(failed + failedChecks > 0 ? 1 : 0);
