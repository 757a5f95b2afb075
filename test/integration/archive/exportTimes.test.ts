import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import type { UserProfile } from '../../../shared/contract/users.js';
import { startArchive, type TestArchive } from '../../support/archive.js';
import {
  anExport,
  anExportMessage,
  anExportUser,
  type RawExport,
} from '../../support/exportFiles.js';
import { anId } from '../../support/factories.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';
import { everyAnswer } from '../../support/wholeArchive.js';

describe('an export of threads whose parts were read at different times', () => {
  let archive: TestArchive;
  let copy: TestArchive;

  before(async () => {
    [archive, copy] = [await startArchive(), await startArchive()];
  });
  after(async () => {
    await archive.close();
    await copy.close();
  });

  const importFiles = (into: TestArchive, files: RawExport[]) =>
    withTemporaryFolder(async (folder) => {
      for (const [n, file] of files.entries())
        await writeFile(join(folder, `${n}.json`), JSON.stringify(file));
      const result = await into.cli('import', folder);
      expect(result.code, result.stderr + result.stdout).to.equal(0);
    });

  const id = anId();
  const written = (nickname: string, content: string) =>
    anExportMessage({ author: anExportUser({ id, nickname }), content });
  const january = written('Old', 'as it was in January');
  const channel = { id: january.id };
  const made = (exportedAt: string, file: Parameters<typeof anExport>[0]): RawExport => ({
    ...anExport(file),
    exportedAt,
  });

  it('keeps the times of all parts, once it is imported elsewhere', async () => {
    await importFiles(archive, [
      made('2026-01-10T00:00:00Z', { channel, messages: [january] }),
      made('2026-02-10T00:00:00Z', { messages: [written('New', 'elsewhere')] }),
      made('2026-03-10T00:00:00Z', { channel, messages: [anExportMessage()] }),
    ]);
    await withTemporaryFolder(async (folder) => {
      expect((await archive.cli('export', join(folder, 'out'))).code).to.equal(0);
      expect((await copy.cli('import', join(folder, 'out'))).code).to.equal(0);
    });
    const [original, restored] = [await everyAnswer(archive), await everyAnswer(copy)];
    expect([...restored.keys()]).to.deep.equal([...original.keys()]);
    for (const [path, answer] of original) expect(restored.get(path), path).to.deep.equal(answer);
    expect((await copy.json<UserProfile>(`/users/${id}`)).displayName).to.equal('New');
  });

  it('lets a later file change what was read before it', async () => {
    const edited = { ...january, content: 'as it was on 20 February' };
    const later = made('2026-02-20T00:00:00Z', { channel, messages: [edited] });
    for (const each of [archive, copy]) {
      await importFiles(each, [later]);
      const { messages } = await each.json<ThreadDetail>(`/api/threads/${channel.id}`);
      expect(messages[0]!.content).to.equal(edited.content);
    }
  });
});
