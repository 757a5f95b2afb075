import { expect } from 'chai';
import { createSessionProgress } from '../../../../services/indexer/gateway/sessionProgress.js';
import { createRandom } from '../../../faults/random.js';

describe('createSessionProgress', () => {
  it('begins after an event, with nothing received', () => {
    const progress = createSessionProgress(7);
    expect([progress.recorded, progress.received]).to.deep.equal([7, 7]);
  });

  it('is at the last event up to which all are recorded', () => {
    const progress = createSessionProgress(0);
    const [first, second, third] = [1, 2, 3].map((seq) => progress.receive(seq));
    expect([progress.recorded, progress.received]).to.deep.equal([0, 3]);
    third!();
    expect(progress.recorded).to.equal(0);
    first!();
    expect(progress.recorded).to.equal(1);
    second!();
    expect(progress.recorded).to.equal(3);
  });

  it('is not moved by an event that ends twice', () => {
    const progress = createSessionProgress(0);
    const [first, second] = [1, 2].map((seq) => progress.receive(seq));
    first!();
    first!();
    expect(progress.recorded).to.equal(1);
    second!();
    expect(progress.recorded).to.equal(2);
  });

  it('handles numbers that are left out, and events that come after all were recorded', () => {
    const progress = createSessionProgress(5);
    progress.receive(9)();
    expect(progress.recorded).to.equal(9);
    const done = progress.receive(12);
    expect([progress.recorded, progress.received]).to.deep.equal([9, 12]);
    done();
    expect(progress.recorded).to.equal(12);
  });

  it('is right in whatever order thousands of events end', () => {
    const random = createRandom(3);
    const progress = createSessionProgress(0);
    const open = new Map<number, () => void>();
    for (let seq = 1; seq <= 5_000; seq += 1) {
      open.set(seq, progress.receive(seq));
      while (open.size > random.below(2_500)) {
        const ended = random.chance(0.9) ? [...open.keys()][0]! : random.pick([...open.keys()]);
        open.get(ended)!();
        open.delete(ended);
      }
      const firstOpen = [...open.keys()][0] ?? seq + 1;
      if (progress.recorded !== firstOpen - 1) expect(progress.recorded).to.equal(firstOpen - 1);
    }
    open.forEach((end) => end());
    expect(progress.recorded).to.equal(5_000);
  });
});
