import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { withTemporaryFolder } from '../support/temporaryFolder.js';

const MOCHA = 'node_modules/mocha/bin/mocha.js';

describe('.mocharc.json', () => {
  it('lets no run pass of which one test alone was picked by .only', () =>
    withTemporaryFolder(async (folder) => {
      const file = join(folder, 'picked.test.cjs');
      await writeFile(file, "it.only('is picked', () => {}); it('is left out', () => {});");
      const run = promisify(execFile)(process.execPath, [MOCHA, file]);
      const failure: unknown = await run.catch((error: unknown) => error);
      expect(failure).to.have.property('stderr').that.includes('.only');
    }));
});
