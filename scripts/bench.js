import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, requireNode } from './lib/project.js';
import { ROOT } from './lib/run.js';
import { local, startServers } from './lib/servers.js';

/** The benchmarks, in the order in which they run when none is named. */
const BENCHES = ['readApi', 'importArchive', 'search', 'hostileSearch'];

requireNode();
const [name, ...args] = process.argv.slice(2);
const chosen = name === undefined ? BENCHES : [name];
if (!(await prepare())) process.exit(1);
const missing = chosen.filter((one) => !existsSync(script(one)));
if (missing.length > 0) {
  console.error(`There is no benchmark ${missing.join(', ')}: choose of ${BENCHES.join(', ')}`);
  process.exit(1);
}
const dataDir = mkdtempSync(join(tmpdir(), 'forum-archive-bench-'));
const servers = startServers(dataDir);
try {
  const env = await servers.ready;
  process.exitCode = env === undefined ? 1 : runAll({ ...env, RATE_LIMIT_DISABLED: 'true' });
} finally {
  await servers.stop();
  const { removeDataDir } = await local('elasticsearchFolder.js');
  await removeDataDir(dataDir);
}

function runAll(env) {
  const results = chosen.map((one) => {
    console.log(`\n# ${one}`);
    return spawnSync(process.execPath, [script(one), ...args], { env, stdio: 'inherit' }).status;
  });
  return results.every((status) => status === 0) ? 0 : 1;
}

function script(one) {
  return join(ROOT, `dist/bench/${one}.js`);
}
