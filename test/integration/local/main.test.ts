import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { readSettings } from '../../../shared/platform/env.js';
import { freePort } from '../../../services/local/ports.js';
import { suiteStores } from '../../support/suiteStores.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

const MAIN = fileURLToPath(new URL('../../../services/local/main.js', import.meta.url));

describe('the launcher', () => {
  const stores = suiteStores('kept', { otherProcesses: true });

  it('stops everything in order when its terminal is closed', () =>
    withTemporaryFolder(async (dataDir) => {
      const { ELASTICSEARCH_URL, REDIS_URL } = readSettings();
      const urls = { MONGODB_URL: stores.mongodbUrl, ELASTICSEARCH_URL, REDIS_URL };
      const env = { ...process.env, ...urls, DATA_DIR: dataDir, PORT: String(await freePort()) };
      const launcher = spawn(process.execPath, [MAIN, 'start', '--no-sample'], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(launcher, 'exit');
      let told = '';
      for await (const text of launcher.stdout.setEncoding('utf8')) {
        told += text as string;
        if (told.includes('Ctrl-C stops everything')) break;
      }
      // The loop has closed the other end, so nothing can be written any more.
      launcher.kill('SIGHUP');
      expect(await ended, told).to.deep.equal([0, null]);
    }));
});
