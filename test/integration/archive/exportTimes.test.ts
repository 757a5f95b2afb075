import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import type { UserProfile } from '../../../shared/contract/users.js';
import { liveTime } from '../../../shared/store/sourceTime.js';
import { startArchive, type TestArchive } from '../../support/archive.js';
import {
  anExport,
  anExportMessage,
  anExportUser,
  type RawExport,
} from '../../support/exportFiles.js';
import { aSourceMessage, aSourceThread, anAuthor, anId } from '../../support/factories.js';
import { doAll, indexerDeps, record } from '../../support/indexerDeps.js';
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

  it('tells where the platform did not say what a person is called on the server', async () => {
    const deps = indexerDeps({ ...archive.api.stores, logger: pino({ level: 'silent' }) });
    const source = aSourceThread({ asOf: liveTime(Date.now() * 1_000) });
    const { asOf } = source;
    const threadId = source.thread._id;
    const account = { ...anAuthor('grace'), displayName: 'grace' };
    const named = { author: { ...account, displayName: 'Grace H.' }, partsAsOf: { reactors: 0 } };
    const unnamed = { author: account, partsAsOf: { displayName: 0, reactors: 0 } };
    await record(deps, source, [
      aSourceMessage({ _id: threadId, threadId, asOf, ...named }),
      aSourceMessage({ threadId, asOf, ...unnamed }),
    ]);
    await doAll(deps);
    await withTemporaryFolder(async (folder) => {
      expect((await archive.cli('export', join(folder, 'out'))).code).to.equal(0);
      expect((await copy.cli('import', join(folder, 'out'))).code).to.equal(0);
    });
    for (const each of [archive, copy]) {
      const profile = await each.json<UserProfile>(`/users/${account.id}`);
      expect(profile).to.include({ username: 'grace', displayName: 'Grace H.' });
    }
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
