import { expect } from 'chai';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { CliError } from '../../../services/cli/cliError.js';
import { walkFiles } from '../../../services/cli/walkFiles.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

async function put(folder: string, ...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), '{}');
  }
}

describe('walkFiles', () => {
  it('walks folders by sorted names and leaves out hidden files', () =>
    withTemporaryFolder(async (folder) => {
      await put(folder, 'b/2.json', 'b/10.json', 'a.txt', '.hidden', '.git/x.json', 'c');
      const found = await walkFiles([folder]);
      const names = found.map(({ path }) => relative(folder, path));
      expect(names).to.deep.equal(['a.txt', 'b/10.json', 'b/2.json', 'c']);
      expect(found[0]).to.include({ named: false, bytes: 2 });
    }));

  it('takes hidden files that are named as JSON, since the name of a server may begin with a dot', () =>
    withTemporaryFolder(async (folder) => {
      await put(
        folder,
        '.Net - help - A [1].json',
        '.Net - help - B [2].json.gz',
        '.x.json.partial',
      );
      await put(folder, '._.Net - help - A [1].json', '._x.json', '.folder.json/y.json');
      await put(folder, '.Net - help - A [1].json_Files/forged.json');
      const names = (await walkFiles([folder])).map(({ path }) => relative(folder, path));
      expect(names).to.deep.equal(['.Net - help - A [1].json', '.Net - help - B [2].json.gz']);
    }));

  it('leaves out the folder in which an export keeps its media', () =>
    withTemporaryFolder(async (folder) => {
      await put(folder, 'x.json', 'x.json_Files/sticker.json', 'other_Files/y.json');
      await put(folder, 'z.json.gz', 'z.json_Files/forged.json', 'moved.json_Files/forged.json');
      await put(folder, 'own', 'own_Files/forged.json', 'small.gz', 'small_Files/forged.json');
      const names = (await walkFiles([folder])).map(({ path }) => relative(folder, path));
      const taken = ['other_Files/y.json', 'own', 'small.gz', 'x.json', 'z.json.gz'];
      expect(names).to.deep.equal(taken);
    }));

  it('follows links, and each folder once', () =>
    withTemporaryFolder(async (folder) => {
      await put(folder, 'a/x.json');
      await symlink(folder, join(folder, 'a/loop'));
      await symlink(join(folder, 'a'), join(folder, 'b'));
      await symlink('x.json', join(folder, 'a/y.json'));
      const names = (await walkFiles([folder, folder])).map(({ path }) => relative(folder, path));
      expect(names).to.deep.equal(['a/x.json', 'a/y.json']);
    }));

  it('reports what it cannot read in a folder', () =>
    withTemporaryFolder(async (folder) => {
      await symlink('nowhere', join(folder, 'broken.json'));
      expect(await walkFiles([folder])).to.deep.equal([
        {
          path: join(folder, 'broken.json'),
          bytes: 0,
          named: false,
          error: 'there is no such file or folder',
        },
      ]);
    }));

  it('says what is wrong with a name that is not UTF-8', () =>
    withTemporaryFolder(async (folder) => {
      const bytes = Buffer.from(`${folder}/caf\xe9.json`, 'latin1');
      await writeFile(bytes, '{}');
      const [file] = await walkFiles([folder]);
      expect(file!.error).to.include('is not UTF-8: rename it');
      const named: unknown = await walkFiles([bytes.toString()]).catch((thrown: unknown) => thrown);
      expect(named).to.be.instanceOf(CliError).with.property('message').that.includes('not UTF-8');
    }));

  it('refuses a missing path before anything is done', async () => {
    const error: unknown = await walkFiles(['/no/such/path']).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(CliError);
    expect((error as Error).message).to.equal(
      '/no/such/path cannot be read: there is no such file or folder',
    );
  });

  it('refuses what is neither a file nor a folder', async () => {
    const error: unknown = await walkFiles(['/dev/null']).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('message', '/dev/null is neither a file nor a folder');
  });
});
