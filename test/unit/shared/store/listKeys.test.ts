import { expect } from 'chai';
import { countOfRankKey, rankKey } from '../../../../shared/store/listKeys.js';

describe('rankKey', () => {
  it('sorts the greatest count first, then by id, whatever count a source tells', () => {
    const told: [number, string][] = [
      [Number.MAX_SAFE_INTEGER, '100000000000000001'],
      [12_345_678_901, '100000000000000002'],
      [7, '99999999999999999'],
      [7, '100000000000000000'],
    ];
    const keys = told.map(([count, userId]) => rankKey(count, userId));
    expect([...keys].sort()).to.deep.equal(keys);
    for (const key of keys) expect(key).to.match(/^\d{30}$/);
    expect(countOfRankKey(keys[2]!)).to.equal(7);
  });
});
