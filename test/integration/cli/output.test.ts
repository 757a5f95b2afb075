import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { anExport } from '../../support/exportFiles.js';
import { CLI } from '../../support/runCli.js';
import { runOnTerminal } from '../../support/runOnTerminal.js';
import { suiteStores } from '../../support/suiteStores.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

/** So many files are not stored before a signal arrives. */
const MANY_FILES = 2_000;

describe('the output of the command line', () => {
  const stores = suiteStores('kept', { otherProcesses: true });

  /** Starts a command with this standard output. */
  const start = (args: string[], stdout: number | 'pipe') => {
    const env = { ...process.env, MONGODB_URL: stores.mongodbUrl };
    const child = spawn(process.execPath, [CLI, ...args], {
      env,
      stdio: ['ignore', stdout, 'pipe'],
    });
    return { child, closed: once(child, 'close') as Promise<[number]> };
  };

  it('may be closed by its reader, and nothing is printed about that', async () => {
    const { child, closed } = start(['keys', 'list'], 'pipe');
    child.stdout!.destroy();
    const said = await text(child.stderr!);
    expect((await closed)[0], said).to.equal(0);
    expect(said).to.match(/^Archive: .*\n$/);
  });

  it('may be closed together with standard error', async () => {
    const { child, closed } = start(['keys', 'list'], 'pipe');
    child.stdout!.destroy();
    child.stderr!.destroy();
    expect((await closed)[0]).to.equal(0);
  });

  for (const args of [['status'], ['--version']]) {
    it(`is told of in one line where the disk is full: ${args.join(' ')}`, async () => {
      const full = openSync('/dev/full', 'w');
      const { child, closed } = start(args, full);
      closeSync(full);
      const said = await text(child.stderr!);
      expect((await closed)[0]).to.equal(1);
      expect(said).to.match(/^(Archive: .*\n)?Error: The output cannot be written: ENOSPC.*\n$/);
    });
  }

  it('leaves the terminal as it is when Ctrl-C ends a command that shows a bar', async () => {
    const env = { MONGODB_URL: stores.mongodbUrl };
    // No indexer runs, so the bar stays on the screen.
    const { code, stdout } = await runOnTerminal(env, ['verify'], '\u0003', { when: 'verify [' });
    // This is 256 minus the number of SIGINT: the signal has ended the command.
    expect(code, stdout).to.equal(254);
    // No mode of the terminal was changed, such as a hidden cursor.
    expect(stdout).not.to.contain('\u001b[?');
  });

  it('tells which files are imported nevertheless when Ctrl-C ends an import, and leaves none half stored', () =>
    withTemporaryFolder(async (folder) => {
      for (let n = 0; n < MANY_FILES; n += 1) {
        await writeFile(join(folder, `${n}.json`), JSON.stringify(anExport()));
      }
      const env = { MONGODB_URL: stores.mongodbUrl };
      const storing = { when: 'Checking and storing [' };
      const { code, stdout } = await runOnTerminal(env, ['import', folder], '\u0003', storing);
      expect(code, stdout).to.equal(254);
      expect(stdout).to.include('Ends once the files that are being stored are whole');
      const { importFiles, pieces } = stores.mongo.collections;
      const [queued, stored] = await Promise.all([
        importFiles.distinct('_id'),
        pieces.distinct('_id', { _id: /^upload\// }),
      ]);
      expect(queued.length).to.be.within(1, MANY_FILES - 1);
      expect(stored.map((id) => id.split('/')[1])).to.have.members(queued);
      expect(stdout).to.match(/(\d+) files? stored and queued: imported once an indexer runs/);
    }));
});
