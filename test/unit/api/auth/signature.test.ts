import { expect } from 'chai';
import { isSigned, sign } from '../../../../services/api/auth/signature.js';

describe('a signature', () => {
  it('is only valid for its own text, purpose and secret', () => {
    const signature = sign('secret', 'purpose', 'text');
    const isValid = (secret: string, purpose: string, text: string) =>
      isSigned(secret, purpose, text, signature);
    expect(isValid('secret', 'purpose', 'text')).to.equal(true);
    expect(isValid('secret', 'purpose', 'texts')).to.equal(false);
    expect(isValid('secret', 'other', 'text')).to.equal(false);
    expect(isValid('secrets', 'purpose', 'text')).to.equal(false);
    expect(isValid('secret', 'purposet', 'ext')).to.equal(false);
  });
});
