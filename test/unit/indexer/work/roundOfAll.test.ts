import { mock } from 'node:test';
import { expect } from 'chai';
import type { Filter } from 'mongodb';
import { restAfterAll, roundOfAll } from '../../../../services/indexer/work/roundOfAll.js';
import type { Mark } from '../../../../shared/store/work.js';

/** A round over batches that are found one after the other. It records the filters by which it looked. */
function roundOver(found: (boolean | number)[], mayGoOn = () => true) {
  const asked: Filter<Mark>[] = [];
  const round = roundOfAll((among) => {
    asked.push(among);
    return Promise.resolve(found.shift() ?? false);
  }, mayGoOn);
  return { asked, round };
}

describe('roundOfAll', () => {
  it('goes on until everything is done that was marked when it began, and then what followed', async () => {
    const { asked, round } = roundOver([true, true, true, false, true, true]);
    expect(await round()).to.equal('all');
    expect(asked).to.have.length(5);
    const [first, ...others] = asked;
    expect([first, others.pop()]).to.deep.equal([{}, {}]);
    for (const { at } of others) {
      const { $lte } = at as { $lte: Date };
      expect(Math.abs($lte.getTime() - Date.now())).to.be.below(3_600_000);
      expect($lte).to.equal((others[0]!.at as { $lte: Date }).$lte);
    }
  });

  it('ends after a time although marks are left, so that others have their turn', async () => {
    const { asked, round } = roundOver(Array.from({ length: 50 }, () => true));
    let now = 0;
    const clock = mock.method(performance, 'now', () => (now += 1_000));
    expect(
      await round().finally(() => {
        clock.mock.restore();
      }),
    ).to.equal(true);
    expect(asked.length).to.be.within(10, 20);
    expect(asked.slice(1)).not.to.deep.include({});
    await round();
    expect(asked).to.deep.include({});
  });

  it('looks once where nothing is marked, and tells when something is due', async () => {
    const { asked, round } = roundOver([1_500]);
    expect(await round()).to.equal(1_500);
    expect(asked).to.have.length(1);
  });

  it('does one batch while it may not go on', async () => {
    const { asked, round } = roundOver([true, true], () => false);
    expect(await round()).to.equal(true);
    expect(asked).to.have.length(1);
  });
});

describe('restAfterAll', () => {
  it('is five seconds, or three times as long as the round took', () => {
    const rests = [0, 1_000, 2_000, 10_000].map((tookMs) => restAfterAll(tookMs, 'all'));
    expect(rests).to.deep.equal([5_000, 5_000, 6_000, 30_000]);
  });

  it('is nothing while marks are left from before the round', () => {
    expect(restAfterAll(10_000, true)).to.equal(0);
  });
});
