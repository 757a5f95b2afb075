import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { erasureIdOf } from '../../../shared/store/erasures.js';
import { startArchive, type TestArchive } from '../../support/archive.js';
import { anExport, anExportMessage, anExportUser } from '../../support/exportFiles.js';
import { anId } from '../../support/factories.js';
import { runOnTerminal } from '../../support/runOnTerminal.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

const AVATAR = 'https://cdn.discordapp.com/embed/avatars/0.png';

describe('what a deletion or an erasure tells', () => {
  let archive: TestArchive;
  before(async () => {
    archive = await startArchive();
  });
  after(() => archive.close());

  const records = () => archive.api.stores.mongo.collections;
  const anAuthorOf = (id: string) =>
    anExportUser({ id, name: `name${id}`, nickname: `Nick${id}`, avatarUrl: AVATAR });
  /** Imports a thread with one message by each of some people, and resolves with its id. */
  const imported = (...messages: Parameters<typeof anExportMessage>[0][]): Promise<string> =>
    withTemporaryFolder(async (folder) => {
      const root = anExport({ messages: messages.map((message) => anExportMessage(message)) });
      await writeFile(join(folder, 'thread.json'), JSON.stringify(root));
      const run = await archive.cli('import', folder);
      expect(run, run.stdout + run.stderr).to.include({ code: 0 });
      return root.channel.id;
    });
  const removedBy = async (...args: string[]): Promise<Record<string, number>> => {
    const { code, stdout, stderr } = await archive.cli(...args, '--json');
    expect(code, stderr).to.equal(0);
    return (JSON.parse(stdout) as { removed: Record<string, number> }).removed;
  };
  const onTerminal = (typed: string, ...args: string[]) =>
    runOnTerminal({ MONGODB_URL: archive.api.stores.mongodbUrl }, args, typed);

  it('is how much was removed', async () => {
    const [ada, grace] = [anId(), anId()];
    await imported({ author: anAuthorOf(ada) }, { author: anAuthorOf(grace) });
    await imported({ author: anAuthorOf(ada) });
    expect(await removedBy('erase-user', ada)).to.deep.equal({
      threads: 2,
      messages: 2,
      removedThreads: 1,
      removedMessages: 2,
      profiles: 1,
      files: 0,
    });
    const thread = await imported({ author: anAuthorOf(grace) }, { author: anAuthorOf(grace) });
    const run = await archive.cli('delete', 'thread', thread);
    expect(run.stdout).to.equal(
      'Removed 1 thread, 2 messages\nNothing of it can be read any more\n',
    );
  });

  it('is that nobody was found, and then nothing is recorded', async () => {
    const nobody = anId();
    const run = await archive.cli('erase-user', nobody);
    expect([run.code, run.stdout]).to.deep.equal([1, '']);
    expect(run.stderr).to.match(
      /^Error: Nobody with the id \d+ is in the archive\. With --even-if-unknown, they are kept out /m,
    );
    const _id = await erasureIdOf(records(), nobody);
    expect(await records().erasures.findOne({ _id })).to.equal(null);

    expect(await removedBy('erase-user', nobody, '--even-if-unknown')).to.include({ messages: 0 });
    expect(await records().erasures.findOne({ _id })).to.include.keys('finishedAt');
    await imported({ author: anAuthorOf(nobody) });
    expect(await records().messages.countDocuments({ 'author.id': nobody })).to.equal(0);
    const again = await archive.cli('erase-user', nobody);
    expect([again.code, again.stderr]).to.satisfy(
      ([code, said]: [number, string]) => code === 1 && said.includes('was erased already'),
    );
  });

  it('includes people who are only mentioned, and no place that has the same id', async () => {
    const [mentioned, writer] = [anId(), anId()];
    const thread = await imported({
      author: anAuthorOf(writer),
      content: `Ask https://example.org/users/${mentioned}`,
    });
    expect((await archive.cli('erase-user', thread)).code).to.equal(1);
    expect(await removedBy('erase-user', mentioned)).to.include({
      messages: 1,
      removedMessages: 0,
      threads: 1,
    });
  });

  it('is that something is unknown, or already deleted', async () => {
    const unknown = await archive.cli('delete', 'channel', anId());
    expect(unknown.code).to.equal(1);
    expect(unknown.stderr).to.match(
      /^Error: There is no channel \d+ in the archive\. Nothing is /m,
    );
    const thread = await imported({ author: anAuthorOf(anId()) });
    await removedBy('delete', 'thread', thread);
    const again = await archive.cli('delete', 'thread', thread);
    expect(again.code).to.equal(1);
    expect(again.stderr).to.match(/^Error: The thread \d+ is deleted already$/m);
    expect(await removedBy('delete', 'thread', thread, '--even-if-unknown')).to.include({
      threads: 0,
      messages: 0,
    });
  });

  it('is, when forced, that a place which never existed may be imported later', async () => {
    for (const kind of ['thread', 'channel', 'server']) {
      const run = await archive.cli('delete', kind, anId(), '--even-if-unknown');
      expect([run.code, run.stdout]).to.deep.equal([
        0,
        'Removed nothing\nNothing of it can be read any more\n',
      ]);
      expect(run.stderr).to.match(
        /^There is no \w+ \d+ in the archive\. Nothing is remembered of it: an import may bring it$/m,
      );
    }
  });

  it('is a question on a terminal, which shows what will go; nothing goes without a yes', async () => {
    const writer = anId();
    const thread = await imported({ author: anAuthorOf(writer) });
    // The second one ends the input.
    for (const typed of ['n\n', '\x04']) {
      const kept = await onTerminal(typed, 'erase-user', writer);
      expect(kept.code, JSON.stringify(typed)).to.equal(1);
      expect(kept.stdout).to.contain(`the user ${writer} Nick${writer} (name${writer}): 1 message`);
      expect(kept.stdout).to.contain('Nothing was removed');
    }
    const place = await onTerminal('no\n', 'delete', 'thread', thread);
    expect(place.stdout).to.match(/This removes the thread \d+ ".+": 1 thread, 1 message/);
    expect(await records().messages.countDocuments({ 'author.id': writer })).to.equal(1);
    expect(await records().audit.countDocuments({ outcome: 'started' })).to.equal(0);
  });

  it('is refused at once where the question would not be seen, with the option that answers it', () =>
    withTemporaryFolder(async (folder) => {
      const writer = anId();
      const thread = await imported({ author: anAuthorOf(writer) });
      const errorsTo = join(folder, 'errors');
      const env = { MONGODB_URL: archive.api.stores.mongodbUrl };
      const run = (...more: string[]) =>
        runOnTerminal(env, ['delete', 'thread', thread, ...more], '', { errorsTo });
      expect((await run()).code).to.equal(1);
      expect(await readFile(errorsTo, 'utf8')).to.match(/^Error: Nothing was removed: .* --yes /m);
      expect(await records().messages.countDocuments({ 'author.id': writer })).to.equal(1);
      const forced = await run('--yes');
      expect(forced, forced.stdout).to.include({ code: 0 });
    }));

  it('is the result on a terminal after a yes, or without a question when forced', async () => {
    const writer = anId();
    await imported({ author: anAuthorOf(writer) });
    const gone = await onTerminal('y\n', 'erase-user', writer);
    expect(gone, gone.stdout).to.include({ code: 0 });
    expect(gone.stdout).to.match(/Removed 1 message, 1 thread, 1 profile/);
    const other = await imported({ author: anAuthorOf(anId()) });
    const unasked = await onTerminal('', 'delete', 'thread', other, '--yes');
    expect(unasked, unasked.stdout).to.include({ code: 0 });
    expect(unasked.stdout).not.to.contain('[y/N]');
  });
});
