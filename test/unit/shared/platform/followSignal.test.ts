import { getEventListeners, once } from 'node:events';
import { expect } from 'chai';
import { followSignal } from '../../../../shared/platform/followSignal.js';
import { isTimeLimit } from '../../../../shared/platform/storeErrors.js';

describe('followSignal', () => {
  it('makes a signal that is aborted with another, for the same reason', () => {
    const other = new AbortController();
    const before = followSignal(other.signal);
    other.abort(new Error('Enough'));
    const after = followSignal(other.signal);
    for (const { signal } of [before, after]) {
      expect(signal.aborted).to.equal(true);
      expect(signal.reason).to.equal(other.signal.reason);
    }
  });

  it('makes a signal that is aborted after a time limit', async () => {
    const { signal } = followSignal(new AbortController().signal, 10);
    await once(signal, 'abort');
    expect(isTimeLimit(signal.reason)).to.equal(true);
  });

  it('leaves nothing behind at the other signal once the work has ended', () => {
    const other = new AbortController();
    const timers = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
    const before = timers();
    const following = followSignal(other.signal, 60_000);
    expect(following.signal.aborted).to.equal(false);
    expect(timers()).to.equal(before + 1);
    following.end();
    expect(timers()).to.equal(before);
    expect(following.signal.aborted).to.equal(true);
    expect(getEventListeners(other.signal, 'abort')).to.deep.equal([]);
  });
});
