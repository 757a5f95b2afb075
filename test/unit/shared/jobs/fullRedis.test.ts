import { expect } from 'chai';
import { isFull } from '../../../../shared/jobs/fullRedis.js';

describe('isFull', () => {
  const info = (used: number, limit: number): string =>
    `# Memory\r\nused_memory:${used}\r\nused_memory_rss:9\r\nmaxmemory:${limit}\r\nmaxmemory_human:1M\r\n`;

  it('is so where all memory is used that may be', () => {
    expect([info(2, 1), info(1, 1)].map(isFull)).to.deep.equal([true, true]);
  });

  it('is not so where there is room or no limit, or where the server does not tell', () => {
    expect([info(1, 2), info(2, 0), ''].map(isFull)).to.deep.equal([false, false, false]);
  });
});
