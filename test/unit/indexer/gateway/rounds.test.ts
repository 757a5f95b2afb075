import { expect } from 'chai';
import { createRounds } from '../../../../services/indexer/gateway/rounds.js';

/** Rounds that take everything that waits. Each is recorded as what it took. */
function roundsOf() {
  const rounds: string[][] = [];
  let waiting: string[] = [];
  const beginSoon = createRounds(() => {
    rounds.push(waiting);
    waiting = [];
    return rounds.at(-1)!.length;
  });
  return {
    rounds,
    add: (...ids: string[]) => {
      waiting.push(...ids);
      return beginSoon();
    },
  };
}

describe('createRounds', () => {
  it('combines the calls that come before a round begins', async () => {
    const { rounds, add } = roundsOf();
    await Promise.all([add('a'), add('b')]);
    expect(rounds).to.deep.equal([['a', 'b']]);
  });

  it('combines the calls that come during a rest, which is longer after a large round, up to a bound', async () => {
    const { rounds, add } = roundsOf();
    const began = performance.now();
    await add(...Array.from({ length: 100 }, (_, n) => String(n)));
    const second = add('late');
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.all([second, add('later')]);
    expect(performance.now() - began).to.be.above(250);
    expect(rounds.slice(1)).to.deep.equal([['late', 'later']]);
  });

  it('begins one round for each call that comes after the one before has begun', async () => {
    const { rounds, add } = roundsOf();
    await add('a');
    await add('b');
    await add('c');
    expect(rounds).to.deep.equal([['a'], ['b'], ['c']]);
  });
});
