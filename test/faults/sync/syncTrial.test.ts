import { expect } from 'chai';
import { runSyncTrial } from './syncTrial.js';

describe('the sync of a server that changes', function () {
  this.timeout(600_000);
  for (const seed of [1, 2]) {
    it(`ends with what everybody may see of it, and never shows more (seed ${seed})`, async () => {
      const { violations, happened } = await runSyncTrial(seed, { rounds: 4 });
      expect(violations, JSON.stringify(happened)).to.deep.equal([]);
    });
  }
});
