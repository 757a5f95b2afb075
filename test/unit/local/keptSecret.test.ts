import { expect } from 'chai';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { keptSecret } from '../../../services/local/keptSecret.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('keptSecret', () => {
  it('makes a secret once, which only its owner may read', async () => {
    await withTemporaryFolder(async (root) => {
      const folder = join(root, 'data');
      const secret = await keptSecret(folder, 'jwt-secret');
      expect(secret).to.match(/^[0-9a-f]{64}$/);
      expect(await keptSecret(folder, 'jwt-secret')).to.equal(secret);
      expect((await stat(join(folder, 'jwt-secret'))).mode & 0o777).to.equal(0o600);
    });
  });

  it('replaces a file that holds no whole secret', async () => {
    await withTemporaryFolder(async (folder) => {
      const file = join(folder, 'jwt-secret');
      for (const left of ['', '\n', '0123456789abcdef', '\0'.repeat(64)]) {
        await writeFile(file, left);
        const secret = await keptSecret(folder, 'jwt-secret');
        expect(secret, JSON.stringify(left)).to.match(/^[0-9a-f]{64}$/);
        expect(await readFile(file, 'utf8')).to.equal(secret);
        expect(await readdir(folder)).to.deep.equal(['jwt-secret']);
      }
    });
  });

  it('keeps a secret that somebody has written there', async () => {
    await withTemporaryFolder(async (folder) => {
      const own = 'a secret of our own that is long enough';
      await writeFile(join(folder, 'jwt-secret'), `${own}\n`);
      expect(await keptSecret(folder, 'jwt-secret')).to.equal(own);
    });
  });
});
