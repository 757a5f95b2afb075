import { expect } from 'chai';
import { readSettings } from '../../../../shared/platform/env.js';

const read = (text: string) => readSettings({ TRUST_PROXY: text }).TRUST_PROXY;

describe('TRUST_PROXY', () => {
  it('is nobody, a number of proxies, or a list of addresses and networks', () => {
    expect(readSettings({}).TRUST_PROXY).to.equal(false);
    expect(read('false')).to.equal(false);
    expect(read('1')).to.equal(1);
    expect(read('10')).to.equal(10);
    expect(read('10.0.0.1, 192.168.0.0/16,2001:db8::/32,loopback')).to.deep.equal([
      '10.0.0.1',
      '192.168.0.0/16',
      '2001:db8::/32',
      'loopback',
    ]);
  });

  for (const [text, told] of [
    ['true', 'TRUST_PROXY must not be true any more'],
    ['0', 'TRUST_PROXY must be 1 to 10'],
    ['11', 'TRUST_PROXY must be 1 to 10'],
    ['10.0.0.1,proxy,10.0.0.0/33', 'these are neither: "proxy", "10.0.0.0/33"'],
    ['10.0.0.1,', 'these are neither: ""'],
    ['1,10.0.0.1', 'these are neither: "1"'],
    ['010.0.0.1', 'these are neither: "010.0.0.1"'],
  ] as const) {
    it(`refuses ${text}, and says what to set`, () => {
      expect(() => read(text)).to.throw(told);
    });
  }
});
