import { prepare, requireNode } from './lib/project.js';
import { startServers } from './lib/servers.js';
import { runTests } from './lib/tests.js';

/**
 * The arguments: how many questions the tests of bands ask, the seed from which these are made, and folders with
 * further exports.
 */
const [questions = '2000', seed = '11', ...exports] = process.argv.slice(2);

const FILES = ['bands', 'properties'].map(
  (name) => `dist/test/integration/api/search/${name}.test.js`,
);

requireNode();
if (!(await prepare())) process.exit(1);
const servers = await startServers();
let failed = 1;
try {
  const env = await servers.ready;
  if (env) {
    const folders = ['sample', ...exports].join(',');
    const given = { BAND_QUESTIONS: questions, BAND_SEED: seed, BAND_EXPORTS: folders };
    const asked = { ...env, ...given };
    ({ failed } = await runTests(FILES, asked));
  }
} finally {
  await servers.stop();
}
process.exit(failed > 0 ? 1 : 0);
