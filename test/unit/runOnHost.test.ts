import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { withTemporaryFolder } from '../support/temporaryFolder.js';

const RUN_ON_HOST = new URL('../support/runOnHost.js', import.meta.url).href;

const PROGRAM = `
  import { runOnHost } from '${RUN_ON_HOST}';
  for (const args of [['--help'], ['nonsense']]) console.log((await runOnHost({}, args)).code);
`;

describe('runOnHost', () => {
  it('lets a program end by itself once its commands are done', () =>
    withTemporaryFolder(async (folder) => {
      const file = join(folder, 'program.mjs');
      await writeFile(file, PROGRAM);
      const ended = promisify(execFile)(process.execPath, [file], { timeout: 120_000 });
      expect((await ended).stdout).to.equal('0\n2\n');
    }));
});
