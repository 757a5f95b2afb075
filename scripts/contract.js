import { join } from 'node:path';
import { prepare, requireNode } from './lib/project.js';
import { ROOT, run } from './lib/run.js';
import { startTemporaryServers } from './lib/servers.js';

requireNode();
if (!(await prepare())) process.exit(1);
const servers = startTemporaryServers('contract');
try {
  const env = await servers.ready;
  process.exitCode = env === undefined ? 1 : await askAll(env);
} finally {
  await servers.stop();
}

async function askAll(env) {
  const script = join(ROOT, 'dist/test/contract/main.js');
  const args = [script, ...process.argv.slice(2)];
  return (await run(process.execPath, args, { env, show: true })).code;
}
