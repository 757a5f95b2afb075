import { expect } from 'chai';
import { slices } from '../../../../services/indexer/records/slices.js';

describe('slices', () => {
  it('gives everything once, in order, in pieces no longer than asked for', () => {
    expect(slices([1, 2, 3, 4, 5], 2)).to.deep.equal([[1, 2], [3, 4], [5]]);
    expect(slices([1, 2], 2)).to.deep.equal([[1, 2]]);
    expect(slices([])).to.deep.equal([]);
  });
});
