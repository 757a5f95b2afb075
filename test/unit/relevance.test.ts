import { expect } from 'chai';
import { meanByKind, measure } from '../relevance/metrics.js';

describe('relevance measures', () => {
  it('are all 1 for the best order', () => {
    const best = measure(['a', 'b', 'c'], { a: 3, b: 1 });
    expect(best).to.deep.equal({ recall: 1, reciprocalRank: 1, ndcg: 1 });
  });

  it('fall with the place of the answer', () => {
    const late = measure(['x', 'a'], { a: 3 });
    expect(late).to.include({ recall: 1, reciprocalRank: 0.5 });
    expect(late.ndcg).to.be.closeTo(1 / Math.log2(3), 1e-9);
    const swapped = measure(['b', 'a'], { a: 3, b: 1 });
    expect(swapped.ndcg).to.be.closeTo((1 + 7 / Math.log2(3)) / (7 + 1 / Math.log2(3)), 1e-9);
  });

  it('count the first ten alone, and are 0 without an answer', () => {
    const eleven = ['b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'a'];
    expect(measure(eleven, { a: 3 })).to.deep.equal({ recall: 0, reciprocalRank: 0, ndcg: 0 });
    expect(measure([], { a: 3, b: 2 }).recall).to.equal(0);
    expect(measure(['a'], { a: 3, b: 2 }).recall).to.equal(0.5);
  });

  it('are averaged by kind, and over all', () => {
    const one = { kind: 'one', scores: measure(['a'], { a: 3 }) };
    const none = { kind: 'one', scores: measure([], { a: 3 }) };
    const other = { kind: 'other', scores: measure(['a'], { a: 3 }) };
    expect([...meanByKind([one, none, other])]).to.deep.equal([
      ['one', { recall: 0.5, reciprocalRank: 0.5, ndcg: 0.5, queries: 2 }],
      ['other', { recall: 1, reciprocalRank: 1, ndcg: 1, queries: 1 }],
      ['all', { recall: 2 / 3, reciprocalRank: 2 / 3, ndcg: 2 / 3, queries: 3 }],
    ]);
  });
});
