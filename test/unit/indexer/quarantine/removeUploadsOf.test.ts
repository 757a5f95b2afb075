import { expect } from 'chai';
import { holdsId } from '../../../../services/indexer/quarantine/removeUploadsOf.js';
import { bytesOf } from '../../../support/exportFiles.js';

const GONE = '77777777777777770123';

describe('holdsId', () => {
  const holds = (text: string, chunkSize: number, gone = GONE) =>
    holdsId(bytesOf(text, chunkSize), (id) => id === gone);

  it('finds an id wherever the pieces of a text end', async () => {
    const text = `{"name":"Ünï 123","id":"${GONE}","more":"<@${'1'.repeat(18)}>"}`;
    for (let size = 1; size <= text.length; size += 1) {
      expect(await holds(text, size), `pieces of ${size}`).to.equal(true);
      expect(await holds(text, size, '111111111111111111'), `pieces of ${size}`).to.equal(true);
    }
  });

  it('takes no part of a longer number for an id', async () => {
    expect(await holds(`${GONE}4`, 100)).to.equal(false);
    expect(await holds('nobody', 3)).to.equal(false);
  });
});
