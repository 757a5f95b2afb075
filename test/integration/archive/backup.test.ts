import {
  chmod,
  copyFile,
  mkdir,
  readdir,
  readFile,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { startArchive, type TestArchive } from '../../support/archive.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';
import { everyAnswer } from '../../support/wholeArchive.js';

describe('backup and restore', function () {
  this.timeout(180_000);
  const opened: TestArchive[] = [];
  const open = async (): Promise<TestArchive> => {
    const archive = await startArchive();
    opened.push(archive);
    return archive;
  };
  afterEach(async () => {
    for (const archive of opened.splice(0)) await archive.close();
  });

  /** Runs a command that must go well. */
  const run = async (archive: TestArchive, ...args: string[]) => {
    const { code, stdout, stderr } = await archive.cli(...args, '--json');
    expect(code, `${args.join(' ')}: ${stderr}`).to.equal(0);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  it('brings back every answer, and nothing that was deleted or erased', () =>
    withTemporaryFolder(async (folder) => {
      const before = await open();
      await run(before, 'import', 'sample');
      const { threads } = await before.json<{ threads: { id: string; author: { id: string } }[] }>(
        '/api/threads?limit=3',
      );
      const [deleted, , other] = threads;
      await run(before, 'delete', 'thread', deleted!.id);
      await run(before, 'erase-user', other!.author.id);
      const answers = await everyAnswer(before);
      const backup = join(folder, 'backup');
      expect(await run(before, 'backup', backup)).to.include({ snapshot: true });
      for (const name of ['', ...(await readdir(backup))])
        expect((await stat(join(backup, name))).mode & 0o077, name).to.equal(0);

      const after = await open();
      const { verify } = (await run(after, 'restore', backup)) as { verify: { clean: boolean } };
      expect(verify.clean).to.equal(true);
      expect(await everyAnswer(after)).to.deep.equal(answers);

      await run(after, 'import', 'sample');
      expect(await everyAnswer(after)).to.deep.equal(answers);
      expect((await after.api.get(`/api/threads/${deleted!.id}`)).status).to.equal(404);
      expect((await after.api.get(`/users/${other!.author.id}`)).status).to.equal(404);

      const again = await after.cli('restore', backup);
      expect(again.code).to.equal(1);
      expect(again.stderr).to.match(/^Error: The archive is not empty: .* holds servers/m);
    }));

  it('refuses a backup that is damaged or not whole, before anything is written', () =>
    withTemporaryFolder(async (folder) => {
      const archive = await open();
      const whole = join(folder, 'whole');
      await run(archive, 'backup', whole);
      const damage: [string, (copy: string) => Promise<unknown>, RegExp][] = [
        [
          'cut',
          (copy) => truncate(join(copy, 'threads.bson.gz'), 5),
          /threads\.bson\.gz: it has 5/,
        ],
        [
          'changed',
          async (copy) => {
            const path = join(copy, 'apiKeys.bson.gz');
            const bytes = await readFile(path);
            bytes[bytes.length - 1]! ^= 1;
            await chmod(path, 0o600);
            await writeFile(path, bytes);
          },
          /apiKeys\.bson\.gz: its content has changed/,
        ],
        ['told of otherwise', (copy) => writeFile(join(copy, 'manifest.json'), '{'), /damaged/],
      ];
      for (const [name, harm, said] of damage) {
        const copy = join(folder, name);
        await mkdir(copy);
        for (const file of await readdir(whole))
          await copyFile(join(whole, file), join(copy, file));
        await harm(copy);
        const { code, stderr } = await archive.cli('restore', copy);
        expect(code, name).to.equal(1);
        expect(stderr, name).to.match(said);
      }
      const none = await archive.cli('restore', join(folder, 'nowhere'));
      expect(none.stderr).to.match(/holds no whole backup/);
      const { servers, threads } = archive.api.stores.mongo.collections;
      expect(await servers.countDocuments()).to.equal(0);
      expect(await threads.countDocuments()).to.equal(0);
      expect((await archive.cli('backup', whole)).stderr).to.match(/is not empty/);
    }));
});
