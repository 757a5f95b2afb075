import { runChecks } from './lib/checks.js';
import { build, install, requireNode } from './lib/project.js';
import { startServers } from './lib/servers.js';
import { runTests, testFiles } from './lib/tests.js';

// The JVM lives only for minutes, which is too short for its slower, optimising compiler to pay off.
const SHORT_LIVED = { LOCAL_ES_JAVA_OPTS: '-XX:TieredStopAtLevel=1' };

// Tests wait for indexers. With a lower priority, these would hardly run while other work keeps all cores busy.
const AS_OTHERS = { BACKGROUND_NICE: '0' };

// Nothing of a MongoDB that is started here is left after the run, so suites may leave their databases to later ones.
const SHARED = process.env.MONGODB_URL ? {} : { SHARE_TEST_DATABASES: 'true' };

/** How many test files run at once. It is more than there are cores, because tests wait more than they compute. */
const JOBS = 8;
/**
 * The folders in the order in which their files begin. The longest files come first, so that none runs alone at the
 * end.
 */
const ORDER = ['faults/', 'integration/timed/', 'integration/indexer/', 'integration/archive/', ''];

requireNode();
const began = performance.now();
const { passed, failed } = (await install()) ? await checkAndTest() : { passed: 0, failed: 1 };
console.log(`Took ${((performance.now() - began) / 1000).toFixed(1)} s`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);

/** Runs the checks beside the build and the tests. They only read the sources, but keep a core busy for long. */
async function checkAndTest() {
  const [failedChecks, tests] = await Promise.all([runChecks(), buildAndTest()]);
  return { passed: tests.passed, failed: tests.failed + failedChecks };
}

async function buildAndTest() {
  if (!(await build())) return { passed: 0, failed: 1 };
  const servers = await startServers({ env: { ...process.env, ...SHORT_LIVED } });
  try {
    return await testWith(servers.ready);
  } finally {
    await servers.stop();
  }
}

/** Runs the tests when the servers are ready. Where the servers do not start, that counts as one failure. */
async function testWith(ready) {
  const env = await ready;
  return env === undefined
    ? { passed: 0, failed: 1 }
    : runTests(longestFirst(testFiles()), { ...env, ...AS_OTHERS, ...SHARED }, { jobs: JOBS });
}

function longestFirst(files) {
  const rank = (file) => ORDER.findIndex((folder) => file.startsWith(`dist/test/${folder}`));
  return files.toSorted((a, b) => rank(a) - rank(b));
}
