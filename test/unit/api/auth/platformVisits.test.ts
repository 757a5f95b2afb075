import { expect } from 'chai';
import { AskedToWait } from '../../../../services/api/auth/askPlatform.js';
import { createPlatformVisits } from '../../../../services/api/auth/platformVisits.js';
import type { AppError } from '../../../../shared/contract/errors.js';
import { stopPerformance } from '../../../support/stopPerformance.js';

/** How a visit ended: `found`, or its status and the seconds to wait. */
async function outcome(visit: Promise<unknown>): Promise<string> {
  try {
    await visit;
    return 'found';
  } catch (error) {
    const { status, headers } = error as AppError;
    return `${status} ${headers['Retry-After'] ?? ''}`.trim();
  }
}

describe('createPlatformVisits', () => {
  const time = stopPerformance();

  it('lets no more than a hundred under way at once', async () => {
    const visit = createPlatformVisits();
    const waiting: (() => void)[] = [];
    const held = () => visit(() => new Promise<void>((resolve) => waiting.push(resolve)));
    const first = Array.from({ length: 100 }, () => outcome(held()));
    expect(await outcome(held())).to.equal('503 1');
    for (const end of waiting) end();
    expect(new Set(await Promise.all(first))).to.deep.equal(new Set(['found']));
    expect(await outcome(visit(() => Promise.resolve()))).to.equal('found');
  });

  it('lets nobody go until the time is over that the platform asked to wait', async () => {
    const visit = createPlatformVisits();
    const wait = (seconds: number, isForAll = true) =>
      outcome(visit(() => Promise.reject(new AskedToWait(seconds, isForAll))));
    let asked = 0;
    const ask = () => outcome(visit(() => Promise.resolve((asked += 1))));
    expect(await wait(600, false)).to.equal('503 600');
    expect(await wait(600)).to.equal('503 600');
    time.now += 598_500;
    expect(await ask()).to.equal('503 2');
    time.now += 1_499;
    expect(await ask()).to.equal('503 1');
    expect(asked).to.equal(0);
    time.now += 1;
    expect(await ask()).to.equal('found');
    expect(asked).to.equal(1);
  });

  it('holds to the longest of the times that it was asked to wait', async () => {
    const visit = createPlatformVisits();
    const answers: (() => void)[] = [];
    const wait = (seconds: number) =>
      outcome(
        visit(
          () =>
            new Promise((_, reject) => answers.push(() => reject(new AskedToWait(seconds, true)))),
        ),
      );
    const both = [wait(600), wait(1)];
    for (const answer of answers) answer();
    await Promise.all(both);
    expect(await outcome(visit(() => Promise.resolve()))).to.equal('503 600');
  });
});
