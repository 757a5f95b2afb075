/**
 * `npm run contract`: sends an API everything that docs/openapi.json allows, and much that it does not. See
 * docs/contract.md.
 */
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Children } from '../../services/local/children.js';
import { createApiKey } from '../../shared/store/apiKeys.js';
import { startArchive, type TestArchive } from '../support/archive.js';
import { startServers } from '../support/startServers.js';
import { startUntilAsked } from '../support/startUntilAsked.js';
import { fetchSchemathesis, runShown } from './fetchSchemathesis.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    examples: { type: 'string', default: '30' },
  },
});

const program = await fetchSchemathesis(process.env);
const asked = new AbortController();
const { running, end } = startUntilAsked(startAll);
try {
  const archive = await (await running).archive;
  const imported = await archive.cli('import', 'sample', '--wait');
  if (imported.code !== 0) throw new Error(`The sample was not imported:\n${imported.stderr}`);
  // The run with a key comes last, because it deletes what it finds.
  const anonymous = await ask(archive);
  const administrator = await ask(archive, await anAdminKey(archive));
  process.exitCode = anonymous === 0 && administrator === 0 ? 0 : 1;
} finally {
  await end();
}

/** Starts the missing servers, and then an archive. */
async function startAll(children: Children) {
  const servers = await startServers(children);
  Object.assign(process.env, servers.urls);
  const archive = startArchive();
  const close = async (): Promise<void> => {
    asked.abort();
    try {
      const made = await archive.catch(() => undefined);
      await made?.close();
    } finally {
      await servers.close();
    }
  };
  return { archive, close };
}

/** Runs once over every operation, with or without a key. Resolves with the exit code. */
function ask({ api }: TestArchive, key?: string): Promise<number> {
  console.log(`\n# ${key === undefined ? 'Without a credential' : 'With an admin key'}`);
  const args = ['--config-file', 'test/contract/schemathesis.toml', 'run', 'docs/openapi.json'];
  args.push('--url', api.url, '--seed', values.seed, '--max-examples', values.examples);
  const env = {
    ...process.env,
    HYPOTHESIS_STORAGE_DIRECTORY: join(dirname(program), 'hypothesis'),
  };
  if (key !== undefined) {
    Object.assign(env, { CONTRACT_KEY_ID: key.split('_')[1] });
    args.push('--header', `X-API-Key: ${key}`);
  }
  return runShown(program, args, { env, signal: asked.signal });
}

async function anAdminKey({ api }: TestArchive): Promise<string> {
  const about = { name: 'contract', level: 'admin', expiresAt: null } as const;
  return (await createApiKey(api.stores.mongo.collections, about)).key;
}
