import { expect } from 'chai';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderBytes, formatBytes, progressLine } from '../../../services/local/progress.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('progress', () => {
  it('shows the share as a bar and a percentage', () => {
    expect(progressLine('Redis', 0.25, '250 MB of 1000 MB')).to.equal(
      'Redis [######------------------]  25%  250 MB of 1000 MB',
    );
  });

  it('rounds down to a percentage, so that 100% means done', () => {
    expect(progressLine('Redis', 0.999, '')).to.contain(' 99%');
  });

  it('formats bytes in megabytes', () => {
    expect(formatBytes(946_639_592)).to.equal('947 MB');
  });

  it('adds up the files of a folder and its folders', () =>
    withTemporaryFolder(async (folder) => {
      await mkdir(join(folder, 'inner'));
      await writeFile(join(folder, 'a'), 'x'.repeat(10));
      await writeFile(join(folder, 'inner/b'), 'x'.repeat(5));
      expect(await folderBytes(folder)).to.equal(15);
    }));

  it('counts a missing folder as empty', async () => {
    expect(await folderBytes('/nonexistent/folder')).to.equal(0);
  });
});
