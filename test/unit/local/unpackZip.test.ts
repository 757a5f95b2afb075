import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createChildren } from '../../../services/local/children.js';
import { unpackZip } from '../../../services/local/unpackZip.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

/** Python loads this when it starts. Each path that is synced becomes a line of a file. */
const NOTING = `
import os
real = os.fsync
def fsync(opened):
    real(opened)
    with open(os.environ['SYNCED'], 'a') as log:
        log.write(os.readlink('/proc/self/fd/%d' % opened) + '\\n')
os.fsync = fsync
`;

describe('unpacking a download', () => {
  it('keeps only what is named, and has the disk hold all of it', () =>
    withTemporaryFolder(async (folder) => {
      const [archive, target] = [join(folder, 'all.zip'), join(folder, 'unpacked')];
      const [python, synced] = [join(folder, 'python'), join(folder, 'synced')];
      for (const made of [target, python]) await mkdir(made);
      await writeFile(join(python, 'sitecustomize.py'), NOTING);
      const zip = `import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as zip:
    for name in ['bin/server', 'docs/manual']: zip.writestr(name, name)`;
      expect(spawnSync('python3', ['-c', zip, archive]).status).to.equal(0);
      const env = { ...process.env, PYTHONPATH: python, SYNCED: synced };
      const context = { env, logFile: join(folder, 'log'), children: createChildren() };
      await unpackZip({ archive, target, keep: ['bin/'] }, context);
      expect(await readFile(join(target, 'bin/server'), 'utf8')).to.equal('bin/server');
      expect((await readFile(synced, 'utf8')).trimEnd().split('\n').toSorted()).to.deep.equal([
        target,
        join(target, 'bin'),
        join(target, 'bin/server'),
      ]);
    }));
});
