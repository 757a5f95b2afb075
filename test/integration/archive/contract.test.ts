import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { MongoClient } from 'mongodb';
import { cacheFolder } from '../../../services/local/cacheFolder.js';
import { until } from '../../support/apiServer.js';
import { startOwnServers } from '../../support/ownServers.js';
import { openStores, type TestStores } from '../../support/stores.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const SCRIPT = join(ROOT, 'scripts/contract.js');
const REQUIREMENTS = join(ROOT, 'test/contract/requirements.txt');

/** It stands for Schemathesis: it says that it asks, and asks for ever. */
const ASKING = '#!/bin/sh\necho "It asks with $*"\nexec sleep 300\n';

/** Puts the program above where the run looks for Schemathesis, below `cache`. */
async function putProgram(cache: string): Promise<void> {
  // As root, the run takes a cache that other users can read.
  await chmod(cache, 0o755);
  const folder = await cacheFolder({ XDG_CACHE_HOME: cache });
  expect(folder).to.equal(join(cache, 'forum-archive'));
  const name = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .digest('hex')
    .slice(0, 12);
  const bin = join(folder, `schemathesis-${name}`, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, '../installed'), '');
  await writeFile(join(bin, 'schemathesis'), ASKING, { mode: 0o755 });
}

async function databasesOf(url: string): Promise<string[]> {
  const client = new MongoClient(url);
  try {
    const { databases } = await client.db('admin').admin().listDatabases();
    return databases.map(({ name }) => name).sort();
  } finally {
    await client.close();
  }
}

describe('npm run contract', () => {
  let stores: TestStores;
  before(async () => (stores = await openStores({ isSearchLate: true })));
  after(() => stores.close());

  it('removes all that it has stored after Ctrl-C', () =>
    withTemporaryFolder(async (folder) => {
      await putProgram(folder);
      const wanted = { mongodb: true, elasticsearch: false, redis: false };
      const own = await startOwnServers(join(folder, 'data'), wanted);
      const MONGODB_URL = own.servers.mongodb!.url;
      try {
        const before = await databasesOf(MONGODB_URL);
        const run = spawn(process.execPath, [SCRIPT], {
          // Shared databases stay for later suites.
          env: { ...process.env, MONGODB_URL, XDG_CACHE_HOME: folder, SHARE_TEST_DATABASES: '' },
          cwd: ROOT,
          stdio: ['ignore', 'pipe', 'pipe'],
          detached: true,
        });
        const [ended, told] = [once(run, 'exit'), text(run.stderr)];
        let output = '';
        run.stdout.setEncoding('utf8').on('data', (said: string) => (output += said));
        await until(() => output.includes('It asks') || run.exitCode !== null);
        const meanwhile = await databasesOf(MONGODB_URL);
        // A terminal sends the signal to the whole group.
        process.kill(-run.pid!, 'SIGINT');
        expect(await ended, output).to.deep.equal([1, null]);
        expect(await told).to.equal('');
        const [name] = meanwhile.filter((one) => !before.includes(one));
        expect(name).to.match(/^test_/);
        expect(await databasesOf(MONGODB_URL)).to.deep.equal(before);
        expect(await stores.elasticsearch.cat.indices({ index: `${name}*`, h: 'index' })).to.equal(
          '',
        );
        expect(await stores.redis.keys(`${name}:*`)).to.deep.equal([]);
      } finally {
        await own.stop();
      }
    }));
});
