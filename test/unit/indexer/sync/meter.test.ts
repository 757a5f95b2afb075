import { expect } from 'chai';
import { createMeter } from '../../../../services/indexer/sync/meter.js';

describe('createMeter', () => {
  it('tells an average in which later looks count more, and counts each message once', () => {
    let now = 0;
    const meter = createMeter(() => now);
    const after = (seconds: number, messages: number): number => {
      now += seconds * 1_000;
      meter.count(messages);
      return meter.perSecond();
    };
    expect(after(2, 200)).to.equal(100);
    expect(after(1, 200)).to.equal(130);
    expect(after(10, 0)).to.equal(91);
  });

  it('tells a number even if no time has passed', () => {
    const meter = createMeter(() => 5);
    expect(meter.perSecond()).to.equal(0);
  });
});
