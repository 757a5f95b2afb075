import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChecks } from './lib/checks.js';
import { prepare, requireNode } from './lib/project.js';
import { local, startServers } from './lib/servers.js';
import { runTests, testFiles } from './lib/tests.js';

requireNode();
const began = performance.now();
const built = await prepare();
const { passed, failed } = built ? await checkAndTest() : { passed: 0, failed: 1 };
console.log(`Took ${((performance.now() - began) / 1000).toFixed(1)} s`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

/** The checks run while the servers start; the tests come after both, so that nothing competes with them. */
async function checkAndTest() {
  const dataDir = mkdtempSync(join(tmpdir(), 'forum-archive-test-'));
  const { removeDataDir } = await local('elasticsearchFolder.js');
  const servers = startServers(dataDir);
  try {
    const failedChecks = await runChecks();
    const env = await servers.ready;
    if (env === undefined) return { passed: 0, failed: failedChecks + 1 };
    const { passed, failed } = await runAll(testFiles(), env);
    return { passed, failed: failed + failedChecks };
  } finally {
    await servers.stop();
    await removeDataDir(dataDir);
  }
}

/** What provokes faults under load is timed, and has the machine to itself. */
async function runAll(files, env) {
  const isTimed = (file) => /^dist\/test\/(faults|integration\/timed)\//.test(file);
  const most = await runTests(inThree(files.filter((file) => !isTimed(file))), env);
  const timed = await runTests([files.filter(isTimed)], env);
  return { passed: most.passed + timed.passed, failed: most.failed + timed.failed };
}

/** Much of the time is waiting: three processes fill the cores. */
function inThree(files) {
  const groups = [
    /^dist\/test\/(integration\/(api|cli)|unit)\//,
    /^dist\/test\/integration\/(indexer|local|relevance|shared)\//,
  ];
  const groupOf = (file) => groups.findIndex((group) => group.test(file));
  return [0, 1, -1].map((number) => files.filter((file) => groupOf(file) === number));
}
