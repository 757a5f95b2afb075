import { expect } from 'chai';
import { batches } from '../../../../shared/platform/batches.js';

async function batchesOf(items: number[]): Promise<number[][]> {
  const found: number[][] = [];
  for await (const batch of batches(items, { items: 3, weight: 10, weigh: (item) => item }))
    found.push(batch);
  return found;
}

describe('batches', () => {
  it('end with the item that makes them full or heavy enough; the last one holds the rest', async () => {
    const expected = [[9, 1], [1, 2, 3], [10], [4, 4]];
    expect(await batchesOf(expected.flat())).to.deep.equal(expected);
    expect(await batchesOf([])).to.deep.equal([]);
  });
});
