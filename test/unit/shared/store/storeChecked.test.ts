import { expect } from 'chai';
import type { Collections } from '../../../../shared/store/collections.js';
import { storeChecked } from '../../../../shared/store/storeChecked.js';
import { heldBytes } from '../../../support/heldBytes.js';

/** Nothing is stored of a file whose header does not come. */
const UNUSED = {} as Pick<Collections, 'pieces'>;

describe('storeChecked', () => {
  it('holds little of a file that arrives byte by byte', async () => {
    const before = heldBytes();
    let grown = NaN;
    async function* bytewise(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"note":"');
      for (let sent = 0; sent < 100_000; sent += 1) yield await Promise.resolve(Buffer.from('a'));
      grown = heldBytes() - before;
    }
    const verdict = await storeChecked(UNUSED, 'u', bytewise());
    expect(verdict).to.include({ kind: 'rejected', at: 'byte 100009' });
    expect(grown).to.be.below(5_000_000);
  });
});
