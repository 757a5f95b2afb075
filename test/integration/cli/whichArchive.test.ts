import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { processId } from '../../../services/local/processId.js';
import { readSettings } from '../../../shared/platform/env.js';
import { runOnHost } from '../../support/runOnHost.js';
import { suiteStores } from '../../support/suiteStores.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

const ID = '123456789012345678';
const NO_URLS = { MONGODB_URL: '', ELASTICSEARCH_URL: '', REDIS_URL: '' };

/** Commands that change an archive or ask about it. */
const COMMANDS = [
  ['erase-user', ID],
  ['delete', 'thread', ID],
  ['keys', 'list'],
  ['keys', 'create', '--level', 'read', '--name', 'x'],
  ['restore', 'nowhere'],
  ['status'],
  ['verify'],
  ['reindex', '--views'],
  ['export', 'nowhere'],
  ['backup', 'nowhere'],
];

describe('which archive a command works on', () => {
  const stores = suiteStores('kept', { otherProcesses: true });

  for (const args of COMMANDS) {
    it(`is none where there is none: ${args.join(' ')} starts no servers`, () =>
      withTemporaryFolder(async (folder) => {
        const { code, stdout, stderr } = await runOnHost({ ...NO_URLS, DATA_DIR: folder }, args);
        expect([code, stdout]).to.deep.equal([1, '']);
        expect(stderr).to.match(/^Error: No archive found: set DATA_DIR or the URLs .*\n$/);
        expect(stderr).to.contain(folder);
        expect(await readdir(folder)).to.deep.equal([]);
      }));
  }

  it('is not asked for, and no servers are started, where what is to be imported is not there', () =>
    withTemporaryFolder(async (folder) => {
      const missing = join(folder, 'exports');
      const env = { ...NO_URLS, DATA_DIR: folder };
      const { code, stderr } = await runOnHost(env, ['import', missing]);
      expect(code).to.equal(1);
      expect(stderr).to.equal(
        `Error: ${missing} cannot be read: there is no such file or folder\n`,
      );
      expect(await readdir(folder)).to.deep.equal([]);
    }));

  it('is reported as not running where the data folder holds one, but no servers run', () =>
    withTemporaryFolder(async (folder) => {
      await mkdir(join(folder, 'mongodb'));
      const { code, stderr } = await runOnHost({ ...NO_URLS, DATA_DIR: folder }, ['status']);
      expect(code).to.equal(1);
      expect(stderr).to.match(/^Error: The archive in .* is not running: run npm start, or /);
      expect(await readdir(folder)).to.deep.equal(['mongodb']);
    }));

  it('is the one whose servers run in the data folder, and is named', () =>
    withTemporaryFolder(async (folder) => {
      const { ELASTICSEARCH_URL, REDIS_URL } = readSettings();
      const urls = { MONGODB_URL: stores.mongodbUrl, ELASTICSEARCH_URL, REDIS_URL };
      const content = { ports: {}, launcher: processId(), urls };
      await writeFile(join(folder, 'servers.json'), JSON.stringify(content));
      const { code, stdout, stderr } = await runOnHost({ ...NO_URLS, DATA_DIR: folder }, [
        'status',
        '--json',
      ]);
      expect(code, stderr).to.equal(0);
      expect(JSON.parse(stdout)).to.include({ threads: 0 });
      const { namespace } = stores.mongo;
      expect(stderr).to.equal(`Archive: ${namespace} at ${stores.mongodbUrl} (run in ${folder})\n`);
    }));

  it('is that of the URLs, and is named without their passwords', async () => {
    const MONGODB_URL = 'mongodb://ada:planted@127.0.0.1:1/mine';
    const { stderr } = await runOnHost({ MONGODB_URL }, ['status', '--json']);
    expect(stderr).to.equal(
      'Archive: mine at mongodb://ada:***@127.0.0.1:1/mine (from MONGODB_URL)\n',
    );
  });

  it('is refused where only some URLs are set, because the others may belong to another archive', async () => {
    for (const args of [['status'], ['import', 'package.json']]) {
      const { code, stderr } = await runOnHost({ ELASTICSEARCH_URL: '', REDIS_URL: '' }, args);
      expect(code).to.equal(1);
      expect(stderr).to.equal(
        ['ELASTICSEARCH_URL', 'REDIS_URL']
          .map(
            (name) =>
              `Wrong setting: ${name} is not set, and MONGODB_URL is: set all three or none\n`,
          )
          .join(''),
      );
    }
  });
});
