import { expect } from 'chai';
import { chmod, mkdir, realpath, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createChildren } from '../../../services/local/children.js';
import { startElasticsearch } from '../../../services/local/elasticsearch.js';
import { removeDataDir } from '../../../services/local/elasticsearchFolder.js';
import { otherUser } from '../../../services/local/otherUser.js';
import { rejectionOf, withTemporaryFolder } from '../../support/temporaryFolder.js';

/**
 * It stands for Elasticsearch: it tells its encoding of names, what it can read of its configuration, which sites it
 * serves, and its heap.
 */
const PROGRAM = `#!/bin/sh
locale charmap
cat "$ES_PATH_CONF/log4j2.properties"
grep http.cors "$ES_PATH_CONF/elasticsearch.yml"
echo "$ES_JAVA_OPTS"
exit 7
`;
const PORTS = { http: 1, transport: 1 };

/** A home that everybody can read, and a data folder with these permissions. */
async function withFolders(
  mode: number,
  work: (dataDir: string, start: () => Promise<string>) => Promise<void>,
  more: Record<string, string> = {},
): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    const [home, dataDir] = [join(folder, 'home'), join(folder, 'data')];
    for (const made of [dataDir, join(home, 'bin'), join(home, 'config')])
      await mkdir(made, { recursive: true });
    await writeFile(join(home, 'config/log4j2.properties'), 'the configuration\n');
    await writeFile(join(home, 'bin/elasticsearch'), PROGRAM, { mode: 0o755 });
    await chmod(folder, 0o755);
    await chmod(dataDir, mode);
    const env = { PATH: process.env['PATH'], LANG: 'C', ...more };
    const context = { env, dataDir, logs: join(dataDir, 'logs'), children: createChildren() };
    try {
      await work(dataDir, () => rejectionOf(startElasticsearch({ home }, PORTS, context)));
    } finally {
      await removeDataDir(dataDir);
    }
  });
}

describe('startElasticsearch', () => {
  for (const mode of [0o700, 0o755])
    it(`lets the node read its files, and nobody else, in a data folder with the permissions ${mode.toString(8)}, whatever the umask and the locale are`, () =>
      withFolders(mode, async (dataDir, start) => {
        const usual = process.umask(0o077);
        const message = await start().finally(() => process.umask(usual));
        expect(message).to.include('exit code 7').and.include('  UTF-8\n  the configuration');
        const root = await stat(await realpath(join(dataDir, 'elasticsearch')));
        expect(root.mode & 0o777).to.equal(0o700);
      }));

  it('says that the node cannot reach its files, where root has closed the folder above them', () =>
    withFolders(0o755, async (dataDir, start) => {
      await start();
      await chmod(dataDir, 0o700);
      const message = await start();
      // Only root has another user run the node.
      expect(message).to.include(otherUser() === undefined ? 'exit code 7' : 'chmod o+x');
    }));

  it('has the node refuse requests that pages of other sites send', () =>
    withFolders(0o755, async (_dataDir, start) => {
      expect((await start()).match(/http\.cors.*/g)).to.deep.equal(['http.cors.enabled: true']);
    }));

  for (const [given, options] of [
    ['', '-Xms512m -Xmx512m'],
    ['1G\r', '-Xms1G -Xmx1G'],
  ] as const)
    it(`gives the node the heap of LOCAL_ES_HEAP=${JSON.stringify(given)}`, () =>
      withFolders(
        0o755,
        async (_dataDir, start) => void expect(await start()).to.include(options),
        { LOCAL_ES_HEAP: given },
      ));

  for (const given of ['512', 'much', '0g', '1.5g', ' '])
    it(`refuses LOCAL_ES_HEAP=${JSON.stringify(given)} in one line`, () =>
      withFolders(
        0o755,
        async (_dataDir, start) => {
          const problem = 'LOCAL_ES_HEAP must be a size such as 512m or 2g';
          expect(await start()).to.equal(`Wrong setting: ${problem}`);
        },
        { LOCAL_ES_HEAP: given },
      ));
});
