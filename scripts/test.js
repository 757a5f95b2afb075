import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChecks } from './lib/checks.js';
import { phase, ROOT } from './lib/run.js';
import { prepare, requireNode } from './lib/project.js';
import { runTests } from './lib/tests.js';

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
    const { passed, failed } = await runTests('dist/test/**/*.test.js', env);
    return { passed, failed: failed + failedChecks };
  } finally {
    await servers.stop();
    await removeDataDir(dataDir);
  }
}

/** Starts what is missing of the three servers; `ready` gives the tests' environment, or nothing after a failure. */
function startServers(dataDir) {
  let stop = async () => {};
  const start = async () => {
    const { ensureServers } = await local('ensureServers.js');
    const { createReport } = await local('report.js');
    const report = createReport(process.stdout);
    const servers = await ensureServers({ dataDir, env: process.env, report });
    stop = servers.stop;
    for (const signal of ['SIGINT', 'SIGTERM']) {
      process.on(signal, () => void stop().then(() => process.exit(1)));
    }
    return testEnv(servers, dataDir);
  };
  return { ready: settleServers(start), stop: () => stop() };
}

async function settleServers(start) {
  let env;
  await phase('servers', async () => {
    try {
      env = await start();
      return { code: 0, output: '' };
    } catch (error) {
      return { code: 1, output: error.name === 'LaunchError' ? error.message : error.stack };
    }
  });
  return env;
}

function testEnv({ mongodbUrl, elasticsearchUrl, redisUrl }, dataDir) {
  return {
    ...process.env,
    MONGODB_URL: mongodbUrl,
    ELASTICSEARCH_URL: elasticsearchUrl,
    REDIS_URL: redisUrl,
    DATA_DIR: dataDir,
  };
}

/** A compiled module of the launcher. */
function local(name) {
  return import(new URL(`file://${ROOT}dist/services/local/${name}`));
}
