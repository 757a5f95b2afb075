import { expect } from 'chai';
import { limitWaits } from '../../../services/cli/bot/limitWaits.js';

const WHY = 'The platform asks to wait (429)';

describe('limitWaits', () => {
  it('takes many short pauses, but not for ever', () => {
    const take = limitWaits();
    for (let n = 0; n < 6; n += 1) take(10_000, WHY);
    expect(() => take(1, WHY)).to.throw(`${WHY} again and again`);
  });

  it('takes no long pause', () => {
    expect(() => limitWaits()(10_001, WHY)).to.throw(
      `${WHY}. Nothing should be asked for 11 seconds`,
    );
  });
});
