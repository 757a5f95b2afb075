import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChecks } from './lib/checks.js';
import { prepare, requireNode } from './lib/project.js';
import { local, startServers } from './lib/servers.js';
import { runTests, testFiles } from './lib/tests.js';

// For a JVM that lives for minutes, it does not pay to compile anything for the long term.
const SHORT_LIVED = { LOCAL_ES_JAVA_OPTS: '-XX:TieredStopAtLevel=1' };

requireNode();
const began = performance.now();
const built = await prepare();
const { passed, failed } = built ? await checkAndTest() : { passed: 0, failed: 1 };
console.log(`Took ${((performance.now() - began) / 1000).toFixed(1)} s`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

/** The checks run beside the start of the servers and the tests: one of them takes long and keeps one core busy. */
async function checkAndTest() {
  const dataDir = mkdtempSync(join(tmpdir(), 'forum-archive-test-'));
  const { removeDataDir } = await local('elasticsearchFolder.js');
  const servers = startServers(dataDir, { ...process.env, ...SHORT_LIVED });
  try {
    const [failedChecks, tests] = await Promise.all([runChecks(), testWith(servers.ready)]);
    return { passed: tests.passed, failed: tests.failed + failedChecks };
  } finally {
    await servers.stop();
    await removeDataDir(dataDir);
  }
}

/** Runs the tests once the servers are ready. Servers that did not start count as one failure. */
async function testWith(ready) {
  const env = await ready;
  return env === undefined ? { passed: 0, failed: 1 } : runTests(inGroups(testFiles()), env);
}

/** Groups that take about the same time side by side. The one that provokes faults waits more than it computes. */
function inGroups(files) {
  const groups = [
    /^dist\/test\/(integration\/(api|cli)|unit)\//,
    /^dist\/test\/integration\/(indexer\/(?!gateway)|local\/|relevance\/|shared\/)/,
    /^dist\/test\/(faults|integration\/timed)\//,
  ];
  const groupOf = (file) => groups.findIndex((group) => group.test(file));
  return [0, 1, 2, -1].map((number) => files.filter((file) => groupOf(file) === number));
}
