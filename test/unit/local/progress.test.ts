import { expect } from 'chai';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderBytes, formatBytes, formatProgress } from '../../../services/local/progress.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('progress', () => {
  it('shows the share as a bar, a percentage and megabytes', () => {
    expect(formatProgress('Redis', 250e6, 1000e6)).to.equal(
      'Redis [######------------------]  25%  250 MB of 1000 MB',
    );
  });

  it('never shows more than the whole', () => {
    expect(formatProgress('Redis', 12e6, 6e6)).to.equal(
      'Redis [########################] 100%  6 MB of 6 MB',
    );
  });

  it('rounds down to a percentage, so that 100% means done', () => {
    expect(formatProgress('Redis', 999, 1000)).to.contain(' 99%');
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
