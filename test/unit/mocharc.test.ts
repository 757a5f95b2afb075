import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { withTemporaryFolder } from '../support/temporaryFolder.js';

const MOCHA = 'node_modules/mocha/bin/mocha.js';

describe('.mocharc.json', () => {
  it('passes no run in which .only selected a single test', () =>
    withTemporaryFolder(async (folder) => {
      const file = join(folder, 'picked.test.cjs');
      await writeFile(file, "it.only('is picked', () => {}); it('is left out', () => {});");
      const run = promisify(execFile)(process.execPath, [MOCHA, file]);
      const failure: unknown = await run.catch((error: unknown) => error);
      expect(failure).to.have.property('stderr').that.includes('.only');
    }));

  it('passes no run in which a rejected promise was not handled, whichever file of a process it was in', () =>
    withTemporaryFolder(async (folder) => {
      const quiet = "it('does nothing', () => {});";
      const leaving =
        "it('leaves one', (done) => { Promise.reject('unseen'); setTimeout(done, 50); });";
      // With two processes and four files, each process has run another file before it runs the last one.
      const contents = [quiet, quiet, quiet, leaving];
      const files = contents.map((_, number) => join(folder, `${number}.test.cjs`));
      for (const [number, content] of contents.entries()) await writeFile(files[number]!, content);
      const args = [MOCHA, '--parallel', '--jobs', '2', ...files];
      const run = promisify(execFile)(process.execPath, args);
      const failure: unknown = await run.catch((error: unknown) => error);
      expect(failure).to.have.property('stdout').that.includes('Unhandled rejection: unseen');
    }));
});
