import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ChannelList } from '../../../shared/contract/servers.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { startArchive, type TestArchive } from '../../support/archive.js';
import { anExport, anExportMessage, anExportUser } from '../../support/exportFiles.js';
import { leaveOut } from '../../support/leaveOut.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';
import { everyAnswer } from '../../support/wholeArchive.js';

const ADA = anExportUser();
const BOB = anExportUser({
  id: '100000000000000002',
  name: 'bob',
  nickname: 'Bob',
  avatarUrl: 'https://cdn.discordapp.com/embed/avatars/0.png',
});
const SERVER_ID = anExport().guild.id;

describe('an export of threads that were started by people who opted out', () => {
  let archive: TestArchive;
  let copy: TestArchive;
  /** What the files of the export say. */
  let exported: string[];
  const startedByAda = (owner: { ownerId?: string }) => {
    const asked = anExportMessage({ content: 'Where is the marmalade?' });
    const emoji = { id: '', name: '👍', code: 'thumbsup', isAnimated: false, imageUrl: '' };
    const answer = anExportMessage({
      content: 'Behind the clock',
      author: BOB,
      reactions: [{ emoji, count: 2, users: [ADA, BOB] }],
      interaction: { id: '500000000000000001', name: 'find', user: ADA },
    });
    return anExport({ channel: { id: asked.id, ...owner }, messages: [asked, answer] });
  };
  const threads = [startedByAda({ ownerId: ADA.id }), startedByAda({})];
  /** A thread that is alone in its forum. */
  const unshown = anExport({
    channel: {
      categoryId: '300000000000000002',
      category: 'breakfast',
      availableTags: [{ id: '400000000000000001', name: 'jam', emoji: null, moderated: false }],
      forum: { topic: 'What to eat' },
    },
  });

  before(async () => {
    [archive, copy] = [await startArchive(), await startArchive()];
    await withTemporaryFolder(async (folder) => {
      for (const [n, file] of [...threads, unshown].entries())
        await writeFile(join(folder, `${n}.json`), JSON.stringify(file));
      expect(await archive.cli('import', folder)).to.include({ code: 0 });
    });
    await leaveOut(archive.api.stores.mongo, SERVER_ID, ADA.id);
    expect(await archive.cli('reindex', '--views', '--wait')).to.include({ code: 0 });
    await withTemporaryFolder(async (folder) => {
      expect(await archive.cli('export', join(folder, 'out'))).to.include({ code: 0 });
      const names = await readdir(join(folder, 'out'), { recursive: true });
      const paths = names.filter((name) => name.endsWith('.json'));
      exported = await Promise.all(
        paths.map((path) => readFile(join(folder, 'out', path), 'utf8')),
      );
      expect(await copy.cli('import', join(folder, 'out'))).to.include({ code: 0 });
    });
  });
  after(async () => {
    await archive.close();
    await copy.close();
  });

  it('credits nobody else with these threads, whether their owner is recorded or not', async () => {
    for (const { channel } of threads) {
      const path = `/api/threads/${channel.id}`;
      const author = { id: '0', username: 'deleted-user' };
      expect((await archive.json<ThreadDetail>(path)).author).to.include(author);
      expect((await copy.json<ThreadDetail>(path)).author).to.include(author);
    }
  });

  it('does not name them as users of a command or as people who reacted', () => {
    expect(exported).not.to.be.empty;
    expect(exported.filter((text) => text.includes(ADA.id))).to.deep.equal([]);
  });

  it('includes a forum in which nobody else wrote', async () => {
    const { channels } = await copy.json<ChannelList>(`/api/servers/${SERVER_ID}/channels`);
    expect(channels.map(({ name }) => name)).to.include('breakfast');
    expect((await copy.api.get(`/api/threads/${unshown.channel.id}`)).status).to.equal(404);
  });

  it('gives the same answers once it is imported into an empty archive', async () => {
    const [original, restored] = [await everyAnswer(archive), await everyAnswer(copy)];
    expect([...restored.keys()]).to.deep.equal([...original.keys()]);
    for (const [path, answer] of original) expect(restored.get(path), path).to.deep.equal(answer);
  });
});
