import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifySha256 } from '../../../services/local/verifySha256.js';
import { rejectionOf, withTemporaryFolder } from '../../support/temporaryFolder.js';

const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';

describe('verifySha256', () => {
  it('accepts the file it was made for', () =>
    withTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'abc'), 'abc');
      await verifySha256(join(folder, 'abc'), ABC, 'Or do this');
    }));

  it('refuses a file that differs by one byte, naming it and both sums', () =>
    withTemporaryFolder(async (folder) => {
      const file = join(folder, 'abc');
      await writeFile(file, 'abd');
      const message = await rejectionOf(verifySha256(file, ABC, 'Or do this'));
      expect(message).to.contain(file);
      expect(message).to.contain(`expected ${ABC}`);
      expect(message).to.contain('was not used');
    }));
});
