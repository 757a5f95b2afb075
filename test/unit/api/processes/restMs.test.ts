import { expect } from 'chai';
import { restMs } from '../../../../services/api/processes/restMs.js';

describe('restMs', () => {
  it('doubles with each quick end, up to ten seconds', () => {
    const rests = [0, 1, 2, 6, 7, 1_000].map(restMs);
    expect(rests).to.deep.equal([100, 200, 400, 6_400, 10_000, 10_000]);
  });
});
