import { expect } from 'chai';
import type { LoopKind } from '../../../../shared/store/work.js';
import { pacedRounds } from '../../../../services/indexer/work/pacedRounds.js';

describe('paced rounds', () => {
  let time: number;
  let asked: string[];
  let left: Partial<Record<LoopKind, boolean | number>>;

  function rounds() {
    return pacedRounds(
      ([kind]) => {
        asked.push(kind!);
        return Promise.resolve(left[kind!] ?? false);
      },
      { always: ['thread'], paced: ['person'], everyMs: 100, now: () => time },
    );
  }

  beforeEach(() => {
    time = 0;
    asked = [];
    left = {};
  });

  it('count the first change at once, and the next ones together after a time', async () => {
    const round = rounds();
    left = { person: true };
    expect(await round()).to.equal(true);
    time = 30;
    expect(await round()).to.equal(70);
    time = 100;
    expect(await round()).to.equal(true);
    expect(asked).to.deep.equal(['thread', 'person', 'thread', 'thread', 'person']);
  });

  it('go on at once while there is anything else to do', async () => {
    const round = rounds();
    left = { person: true };
    await round();
    left = { thread: true, person: true };
    expect(await round()).to.equal(true);
    expect(asked.at(-1)).to.equal('thread');
  });

  it('tell the soonest time at which something is due', async () => {
    const round = rounds();
    expect(await round()).to.equal(false);
    left = { thread: 40, person: 20 };
    expect(await round()).to.equal(20);
    left = { person: true };
    await round();
    left = { thread: 10 };
    expect(await round()).to.equal(10);
  });
});
