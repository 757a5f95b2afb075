import { expect } from 'chai';
import { setImmediate as turn } from 'node:timers/promises';
import { forEachAtOnce } from '../../../../shared/platform/forEachAtOnce.js';

describe('forEachAtOnce', () => {
  it('runs every item, never more than the limit at a time', async () => {
    let running = 0;
    let most = 0;
    const done: number[] = [];
    await forEachAtOnce([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await turn();
      running -= 1;
      done.push(item);
    });
    expect(done).to.have.members([1, 2, 3, 4, 5, 6, 7]);
    expect(most).to.equal(3);
  });

  it('throws the first error, starts nothing more, and leaves nothing running', async () => {
    let running = 0;
    const started: number[] = [];
    const error: unknown = await forEachAtOnce([1, 2, 3, 4, 5, 6], 2, async (item) => {
      started.push(item);
      running += 1;
      for (let n = 0; n < item; n += 1) await turn();
      running -= 1;
      if (item === 2) throw new Error('two');
    }).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('message', 'two');
    expect(running).to.equal(0);
    expect(started).to.not.include(6);
  });

  it('throws an error that comes while it waits for the next item, and does not begin that item', async () => {
    const items = async function* (): AsyncGenerator<number> {
      yield 1;
      for (let n = 0; n < 5; n += 1) await turn();
      yield 2;
    };
    const started: number[] = [];
    const error: unknown = await forEachAtOnce(items(), 4, (item) => {
      started.push(item);
      return Promise.reject(new Error('one'));
    }).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('message', 'one');
    expect(started).to.deep.equal([1]);
  });
});
