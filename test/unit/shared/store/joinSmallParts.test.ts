import { expect } from 'chai';
import { joinSmallParts } from '../../../../shared/store/joinSmallParts.js';

/** Joins parts of these lengths, and returns the lengths of what comes out. Throws where a byte has changed. */
async function joined(lengths: readonly number[]): Promise<number[]> {
  let byte = 0;
  const parts = lengths.map((length) =>
    Buffer.from(Array.from({ length }, () => (byte += 7) & 255)),
  );
  async function* source(): AsyncGenerator<Uint8Array> {
    for (const part of parts) yield await Promise.resolve(part);
  }
  const got: Buffer[] = [];
  for await (const part of joinSmallParts(source())) got.push(Buffer.from(part));
  expect(Buffer.concat(got).equals(Buffer.concat(parts))).to.equal(true);
  return got.map(({ length }) => length);
}

describe('joinSmallParts', () => {
  it('joins small parts, and passes large ones on', async () => {
    expect(await joined([])).to.deep.equal([]);
    expect(await joined([1, 2])).to.deep.equal([3]);
    expect(await joined([4_095, 1])).to.deep.equal([4_096]);
    expect(await joined([4_096, 9_000, 5])).to.deep.equal([4_096, 9_000, 5]);
    expect(await joined([1_000, 9_000, 0, 3_000, 1_095, 1])).to.deep.equal([10_000, 4_096]);
  });
});
