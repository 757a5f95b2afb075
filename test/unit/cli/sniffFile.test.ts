import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { isJsonFile } from '../../../services/cli/import/sniffFile.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

const isJson = (content: string | Buffer): Promise<boolean> =>
  withTemporaryFolder(async (folder) => {
    const path = join(folder, 'file');
    await writeFile(path, content);
    return isJsonFile(path);
  });

describe('isJsonFile', () => {
  it('knows an object by its first character, in gzip too', async () => {
    for (const text of ['{}', ' \n\t{', '\ufeff{', `${' '.repeat(100_000)}{`]) {
      if (text.length < 65_536) expect(await isJson(text), JSON.stringify(text)).to.equal(true);
      expect(await isJson(gzipSync(text))).to.equal(true);
    }
  });

  it('takes nothing else for JSON', async () => {
    for (const content of ['', 'hello', '[1]', '"{"', ' '.repeat(200_000), gzipSync('x')]) {
      expect(await isJson(content)).to.equal(false);
    }
    expect(await isJson(Buffer.from([0x1f, 0x8b, 0, 1, 2, 3]))).to.equal(false);
  });
});
