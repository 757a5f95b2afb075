import { expect } from 'chai';
import { once } from 'node:events';
import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { refuseSecondLauncher } from '../../../services/local/ensureServers.js';
import { otherUser } from '../../../services/local/otherUser.js';
import { freePort } from '../../../services/local/ports.js';
import { processId } from '../../../services/local/processId.js';
import {
  claimDataDir,
  findLocalServers,
  readServersFile,
  writeServersFile,
  type StoreUrls,
} from '../../../services/local/serversFile.js';
import { rejectionOf, withTemporaryFolder } from '../../support/temporaryFolder.js';

const urlsAt = (port: number): StoreUrls => ({
  MONGODB_URL: `mongodb://user:secret@127.0.0.1:${port}/forum-archive`,
  ELASTICSEARCH_URL: `http://127.0.0.1:${port}`,
  REDIS_URL: `redis://127.0.0.1:${port}`,
});

/** Runs this without the rights of root, who may read every file. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  const user = otherUser();
  if (user === undefined) return work();
  process.seteuid!(user.uid);
  try {
    return await work();
  } finally {
    process.seteuid!(0);
  }
}

const gone = { pid: process.pid, startedAt: 'another time' };

describe('servers.json', () => {
  let server: Server;
  let port: number;

  before(async () => {
    port = await freePort();
    server = createServer((socket) => socket.end()).listen(port, '127.0.0.1');
    await once(server, 'listening');
  });

  after(() => server.close());

  it('says that it belongs to another user', () =>
    withTemporaryFolder(async (dataDir) => {
      await writeServersFile(dataDir, { ports: {}, launcher: processId(), urls: urlsAt(port) });
      await chmod(join(dataDir, 'servers.json'), 0);
      const refused = await asNobody(() => rejectionOf(findLocalServers(dataDir)));
      expect(refused).to.include('DATA_DIR cannot be used: EACCES');
    }));

  it('finds the servers of a running launcher', () =>
    withTemporaryFolder(async (dataDir) => {
      const urls = urlsAt(port);
      await writeServersFile(dataDir, { ports: {}, urls, launcher: processId() });
      expect(await findLocalServers(dataDir)).to.deep.equal({ urls, pid: process.pid });
    }));

  it('finds them where only the DNS knows the hosts of MongoDB', () =>
    withTemporaryFolder(async (dataDir) => {
      const urls = { ...urlsAt(port), MONGODB_URL: 'mongodb+srv://ada:secret@cluster.invalid/x' };
      await writeServersFile(dataDir, { ports: {}, urls, launcher: processId() });
      expect(await findLocalServers(dataDir)).to.deep.equal({ urls, pid: process.pid });
    }));

  it('takes a file for stale when the process number now belongs to another process', () =>
    withTemporaryFolder(async (dataDir) => {
      await writeServersFile(dataDir, { ports: {}, urls: urlsAt(port), launcher: gone });
      expect(await findLocalServers(dataDir)).to.equal(undefined);
    }));

  it('takes a file for stale when a server does not answer', () =>
    withTemporaryFolder(async (dataDir) => {
      const urls = { ...urlsAt(port), REDIS_URL: `redis://127.0.0.1:${await freePort()}` };
      await writeServersFile(dataDir, { ports: {}, urls, launcher: processId() });
      expect(await findLocalServers(dataDir)).to.equal(undefined);
    }));

  it('reads the ports and processes of a file of an earlier version, but not the addresses', () =>
    withTemporaryFolder(async (dataDir) => {
      const kept = { ports: { redis: port }, launcher: gone, processes: [gone] };
      const written = { ...kept, urls: { mongodbUrl: 'mongodb://a/b' } };
      await writeFile(join(dataDir, 'servers.json'), JSON.stringify(written));
      expect(await readServersFile(dataDir)).to.deep.include(kept);
      expect(await findLocalServers(dataDir)).to.equal(undefined);
    }));

  it('reads a damaged file as an empty one', () =>
    withTemporaryFolder(async (dataDir) => {
      const damaged = [
        '{"ports": {"redis"',
        'null',
        '{"ports":null}',
        '{"launcher":null,"urls":null}',
      ];
      for (const text of damaged) {
        await writeFile(join(dataDir, 'servers.json'), text);
        expect(await readServersFile(dataDir), text).to.deep.equal({ ports: {} });
        expect(await findLocalServers(dataDir), text).to.equal(undefined);
      }
      await symlink('null', join(dataDir, 'launcher.1.lock'));
      await (
        await claimDataDir(dataDir)
      )();
    }));

  it('refuses a second launcher with the URLs in use, and hides the password', () =>
    withTemporaryFolder(async (dataDir) => {
      await writeServersFile(dataDir, {
        ports: {},
        urls: urlsAt(port),
        launcher: processId(),
        apiUrl: 'http://127.0.0.1:3000',
      });
      const message = await rejectionOf(refuseSecondLauncher(dataDir));
      expect(message).to.contain(`Process ${process.pid} already runs`);
      expect(message).to.contain('http://127.0.0.1:3000');
      expect(message).to.contain(`redis://127.0.0.1:${port}`);
      expect(message).to.not.contain('secret');
    }));

  it('gives a data folder to one launcher at a time', () =>
    withTemporaryFolder(async (dataDir) => {
      const release = await claimDataDir(dataDir);
      expect(await rejectionOf(claimDataDir(dataDir))).to.contain(`Process ${process.pid}`);
      await release();
      await (
        await claimDataDir(dataDir)
      )();
    }));

  it('reports that a data folder cannot be made or written, also where the system allows neither', async () => {
    for (const dataDir of ['/dev/null/within', '/proc/within/it', '/proc']) {
      expect(await rejectionOf(claimDataDir(dataDir))).to.match(
        /^Wrong setting: DATA_DIR cannot be used: E(NO|ACCES)/,
      );
    }
  });

  it('is given to one launcher where several find the lock of one that has ended, or none', () =>
    withTemporaryFolder(async (folder) => {
      for (let round = 0; round < 40; round += 1) {
        const dataDir = join(folder, String(round));
        await mkdir(dataDir);
        if (round % 2 === 0) await symlink(JSON.stringify(gone), join(dataDir, 'launcher.7.lock'));
        const claims = await Promise.allSettled([1, 2, 3, 4].map(() => claimDataDir(dataDir)));
        const [held, ...others] = claims.filter(({ status }) => status === 'fulfilled');
        expect([held?.status, others]).to.deep.equal(['fulfilled', []]);
        expect(await readdir(dataDir)).to.have.length(1);
        await (held as PromiseFulfilledResult<() => Promise<void>>).value();
        await claimDataDir(dataDir);
      }
    }));
});
