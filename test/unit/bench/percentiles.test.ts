import { expect } from 'chai';
import { latenciesOf, medianOf, quantile } from '../../../bench/load/percentiles.js';

describe('percentiles of a benchmark', () => {
  it('are the smallest value that so many do not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, n) => n + 1);
    expect(quantile(hundred, 0.5)).to.equal(50);
    expect(quantile(hundred, 0.99)).to.equal(99);
    expect(quantile(hundred, 1)).to.equal(100);
    expect(quantile([7], 0.01)).to.equal(7);
    expect(quantile([], 0.5)).to.equal(0);
  });

  it('do not need sorted latencies, and leave them as they are', () => {
    const times = Float64Array.from([9, 1, 5, 3, 7]);
    expect(latenciesOf(times)).to.deep.equal({ p50: 5, p99: 9, max: 9 });
    expect([...times]).to.deep.equal([9, 1, 5, 3, 7]);
  });

  it('give the median of few runs with the least and the greatest', () => {
    expect(medianOf([3, 1, 2])).to.deep.equal({ median: 2, min: 1, max: 3 });
    expect(medianOf([4, 1])).to.deep.equal({ median: 2.5, min: 1, max: 4 });
    expect(medianOf([4])).to.deep.equal({ median: 4, min: 4, max: 4 });
  });
});
