import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { memoryBudget } from '../../../../shared/platform/memoryBudget.js';

describe('memoryBudget', () => {
  it('runs work that fits, and the rest in order as room becomes free', async () => {
    const budget = memoryBudget(10);
    const log: string[] = [];
    const open = new Map<string, () => void>();
    const work = (name: string, weight: number) =>
      budget.within(weight, () => {
        log.push(name);
        return new Promise<void>((done) => open.set(name, done));
      });
    const all = [work('a', 6), work('b', 6), work('c', 1), work('d', 3)];
    await setImmediate();
    expect(log, 'c waits behind b, so that no large one starves').to.deep.equal(['a']);
    open.get('a')!();
    await setImmediate();
    expect(log).to.deep.equal(['a', 'b', 'c', 'd']);
    for (const done of open.values()) done();
    await Promise.all(all);
  });

  it('runs work that is larger than the total alone', async () => {
    const budget = memoryBudget(10);
    expect(await budget.within(50, () => Promise.resolve('done'))).to.equal('done');
  });

  it('frees its room after an error', async () => {
    const budget = memoryBudget(1);
    const failed = await budget
      .within(1, () => Promise.reject(new Error('It failed')))
      .catch((error: unknown) => (error as Error).message);
    expect(failed).to.equal('It failed');
    expect(await budget.within(1, () => Promise.resolve(2))).to.equal(2);
  });
});
