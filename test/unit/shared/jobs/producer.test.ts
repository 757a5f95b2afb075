import { expect } from 'chai';
import { retryDelay } from '../../../../shared/jobs/producer.js';

describe('retryDelay', () => {
  it('doubles from half a second up to 30 s, with random parts', () => {
    for (const [attempts, longest] of [
      [1, 500],
      [2, 1_000],
      [7, 30_000],
      [12, 30_000],
      [500, 30_000],
    ] as const) {
      const delays = Array.from({ length: 200 }, () => retryDelay(attempts));
      expect(Math.max(...delays), `after ${attempts}`).to.be.within(longest * 0.9, longest);
      expect(Math.min(...delays), `after ${attempts}`).to.be.within(longest / 2, longest * 0.6);
    }
  });
});
