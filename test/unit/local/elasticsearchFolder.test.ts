import { mkdir, stat, symlink, writeFile } from 'node:fs/promises';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { mock } from 'node:test';
import { expect } from 'chai';
import { giveTo } from '../../../services/local/elasticsearchFolder.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

/** Records what is given to another user, in place of giving it, which only root may do. */
async function givenDuring(work: () => Promise<unknown>): Promise<string[]> {
  const given: string[] = [];
  const note = (path: unknown): Promise<void> => Promise.resolve(void given.push(String(path)));
  const mocks = [mock.method(promises, 'lchown', note), mock.method(promises, 'chown', note)];
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const one of mocks) one.mock.restore();
    syncBuiltinESMExports();
  }
  return given;
}

describe('a folder that is given to another user', () => {
  it('is given after all that it holds, so one that was given in part is given again', () =>
    withTemporaryFolder(async (root) => {
      await mkdir(join(root, 'data/nodes'), { recursive: true });
      await writeFile(join(root, 'data/nodes/lock'), '');
      await symlink('/nowhere', join(root, 'data/link'));
      const { uid, gid } = await stat(root);
      expect(await givenDuring(() => giveTo({ uid, gid }, root))).to.deep.equal([]);
      const given = await givenDuring(() => giveTo({ uid: uid + 1, gid: gid + 1 }, root));
      expect(given.at(-1)).to.equal(root);
      const inside = ['data', 'data/link', 'data/nodes', 'data/nodes/lock'];
      const all = [root, ...inside.map((name) => join(root, name))];
      expect(given.toSorted()).to.deep.equal(all);
    }));
});
