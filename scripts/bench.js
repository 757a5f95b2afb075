import { join, resolve } from 'node:path';
import { prepare, requireNode } from './lib/project.js';
import { ROOT, run } from './lib/run.js';
import { startServers } from './lib/servers.js';

/** The benchmarks by name. Without a name, the first one runs. */
const BENCHES = [
  'endpoints',
  'growth',
  'importArchive',
  'memory',
  'busyReads',
  'search',
  'suggest',
  'hostileSearch',
  'verifyArchive',
  'liveSync',
  'outages',
];

requireNode();
const isNamed = process.argv[2] !== undefined && !process.argv[2].startsWith('-');
const name = isNamed ? process.argv[2] : BENCHES[0];
const args = process.argv.slice(isNamed ? 3 : 2);
if (!BENCHES.includes(name)) {
  console.error(`There is no benchmark ${name}: choose of ${BENCHES.join(', ')}`);
  process.exit(2);
}
if (!(await prepare())) process.exit(1);
// A wrong option is reported before anything is started.
const options = new URL(`../dist/bench/options/${name}.js`, import.meta.url);
(await import(options)).optionsOrExit(args);
// This one starts servers of its own, which it freezes and kills.
if (name === 'outages') process.exit(await measure(process.env));
const servers = await startServers({
  dataDir: resolve(ROOT, process.env.DATA_DIR || '.data', 'bench'),
});
try {
  const env = await servers.ready;
  process.exitCode = env === undefined ? 1 : await measure(env);
} finally {
  await servers.stop();
}

async function measure(env) {
  const script = join(ROOT, `dist/bench/${name}.js`);
  const { code } = await run(process.execPath, [script, ...args], {
    env: { ...env, RATE_LIMIT_DISABLED: 'true' },
    show: true,
  });
  return code;
}
