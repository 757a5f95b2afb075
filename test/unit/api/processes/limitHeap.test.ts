import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { growthFor } from '../../../../services/api/processes/limitHeap.js';

const limitHeapUrl = new URL('../../../../services/api/processes/limitHeap.js', import.meta.url);

const FULL = 64 * 1_048_576;

/**
 * A program that replaces kept texts, oldest first, as a full cache does. It prints the most heap that was in use (MB).
 */
const CHURN = `
  import { getHeapStatistics } from 'node:v8';
  const kept = new Map();
  let most = 0;
  for (let n = 0; n < 60_000; n += 1) {
    kept.set(n, Buffer.alloc(4_000, n % 100).toString('latin1'));
    kept.delete(n - 10_000);
    if (n % 100 !== 0) continue;
    most = Math.max(most, getHeapStatistics().used_heap_size);
    // V8 collects most garbage between turns of the event loop, as in a server.
    await new Promise(setImmediate);
  }
  console.log(most / 1_048_576);
`;

describe('limitHeap', () => {
  it('limits the garbage of a full cache', async () => {
    const mostUsed = async (before: string): Promise<number> => {
      const args = ['--input-type=module', '--eval', `${before}\n${CHURN}`];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      return Number(stdout);
    };
    const limit = `import { limitHeap } from ${JSON.stringify(limitHeapUrl)}; limitHeap(() => ${FULL});`;
    const [limited, unlimited] = [await mostUsed(limit), await mostUsed('')];
    // The kept texts take 40 MB.
    expect(limited).to.be.within(40, 0.75 * unlimited);
  });

  it('asks again and again how much the cache holds', async () => {
    const program = `
      import { limitHeap } from ${JSON.stringify(limitHeapUrl)};
      let asked = 0;
      setTimeout(() => process.exit(1), 60_000);
      await new Promise((resolve) => {
        limitHeap(() => {
          asked += 1;
          if (asked === 3) resolve();
          return 0;
        });
      });
      process.exit(0);
    `;
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  });

  it('lets the heap of an empty cache grow as far as that of a full one', () => {
    expect(growthFor(0)).to.be.above(150);
    expect(growthFor(32)).to.be.within(50, 100);
    expect(growthFor(64)).to.equal(30);
    expect(growthFor(1_024)).to.equal(30);
  });
});
