import { expect } from 'chai';
import { equalTexts } from '../../../../shared/platform/equalTexts.js';

describe('equalTexts', () => {
  it('takes only the whole text, neither a part of it nor more than it', () => {
    expect(equalTexts('secret', 'secret')).to.equal(true);
    expect(equalTexts('é', 'é')).to.equal(true);
    for (const given of [
      '',
      'secre',
      'ecret',
      'secret1',
      'secret\0',
      'secreT',
      'Secret',
      'sécret',
    ]) {
      expect(equalTexts('secret', given), given).to.equal(false);
      expect(equalTexts(given, 'secret'), given).to.equal(false);
    }
  });
});
