import { expect } from 'chai';
import { readFile, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createChildren } from '../../../services/local/children.js';
import { ensureServers } from '../../../services/local/ensureServers.js';
import { findLocalServers, readServersFile } from '../../../services/local/serversFile.js';
import { readSettings } from '../../../shared/platform/env.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

const lines: string[] = [];
const report = { line: (line: string) => void lines.push(line), progress: () => undefined };

/** What a local Redis answers to somebody who knows no password. */
async function askRedis(port: string, command: string): Promise<string> {
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`${command}\r\nQUIT\r\n`);
  return text(socket);
}

describe('servers of a data folder', () => {
  it('are reported to the command line, and Redis asks others for a password', () =>
    withTemporaryFolder(async (dataDir) => {
      const { MONGODB_URL, ELASTICSEARCH_URL } = readSettings();
      const given = { MONGODB_URL, ELASTICSEARCH_URL };
      const env = { ...process.env, ...given, REDIS_URL: undefined };
      const children = createChildren();
      const servers = await ensureServers({ dataDir, env, report, children });
      try {
        const urls = { ...given, REDIS_URL: servers.urls.REDIS_URL };
        expect(servers.urls).to.deep.equal(urls);
        expect((await findLocalServers(dataDir))?.urls).to.deep.equal(urls);

        // Every user of this machine can connect to Redis, list its arguments, and often see this terminal.
        const { port, password } = new URL(servers.urls.REDIS_URL);
        expect(password).to.have.length(64);
        expect(await askRedis(port, `CONFIG SET dir ${dataDir}`)).to.match(/^-NOAUTH/);
        expect(
          lines.filter((line) => line.includes(`redis://:***@127.0.0.1:${port}`)),
        ).to.have.length(1);
        expect(lines.join()).to.not.include(password);
        const { processes = [] } = await readServersFile(dataDir);
        const commands = await Promise.all(
          processes.map(({ pid }) => readFile(`/proc/${pid}/cmdline`, 'utf8')),
        );
        expect(commands.join()).to.include('redis').and.not.include(password);
        for (const file of ['redis', 'redis-password', 'redis/redis.conf', 'servers.json'])
          expect((await stat(join(dataDir, file))).mode & 0o077, file).to.equal(0);
      } finally {
        await servers.stop();
        await children.stopAll();
      }
    }));
});
