import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { followSignal } from '../../../../shared/platform/followSignal.js';

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

  it('leaves nothing behind at the other signal once the work has ended', () => {
    const other = new AbortController();
    const following = followSignal(other.signal);
    expect(following.signal.aborted).to.equal(false);
    following.end();
    expect(following.signal.aborted).to.equal(true);
    expect(getEventListeners(other.signal, 'abort')).to.deep.equal([]);
  });
});
