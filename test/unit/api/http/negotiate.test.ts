import { expect } from 'chai';
import { chooseEncoding, encodingClass } from '../../../../services/api/http/negotiate.js';
import { until } from '../../../support/apiServer.js';
import { heldBytes } from '../../../support/heldBytes.js';

describe('chooseEncoding', () => {
  const cases: [string | undefined, string][] = [
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br', 'gzip'],
    ['br', 'identity'],
    ['identity', 'identity'],
    ['*', 'gzip'],
    ['*;q=0', 'identity'],
    ['*;q=0.1', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['gzip;q=0, *', 'identity'],
    ['gzip;q=0.000', 'identity'],
    ['gzip;q=0.5', 'gzip'],
    ['gzip;q=0.5, identity;q=0.4', 'gzip'],
    ['gzip;q=0.5, identity', 'identity'],
    ['gzip ; q=0.5 , identity ; q=0.5', 'gzip'],
    ['identity;q=0, gzip;q=0.1', 'gzip'],
    ['gzip;q=nonsense', 'identity'],
    ['gzip;q=2', 'identity'],
    ['gzip;q=1.0, identity', 'gzip'],
    ['gzip;seq=0', 'gzip'],
    ['br, identity;q=0', 'identity'],
    [',,;;q=1,', 'identity'],
  ];
  for (const [header, encoding] of cases) {
    it(`answers ${JSON.stringify(header)} in ${encoding}`, () => {
      expect(chooseEncoding(header, true)).to.equal(encoding);
    });
  }

  it('reads the first 64 codings of a header, as each takes time', () => {
    expect(chooseEncoding(`${'x,'.repeat(63)}gzip`, true)).to.equal('gzip');
    expect(chooseEncoding(`${'x,'.repeat(64)}gzip`, true)).to.equal('identity');
  });

  it('remembers few headers, whatever clients send', async () => {
    const before = heldBytes();
    for (let n = 0; n < 2_000; n += 1) chooseEncoding(`gzip, ${'x'.repeat(15_000)}${n}`, true);
    await until(() => heldBytes() - before < 10 * 2 ** 20);
  });

  it('leaves small bodies alone, unless the client refuses that', () => {
    expect(chooseEncoding('gzip', false)).to.equal('identity');
    expect(chooseEncoding('gzip, identity;q=0', false)).to.equal('gzip');
    expect(chooseEncoding('gzip;q=0.2, *;q=0', false)).to.equal('gzip');
  });
});

describe('encodingClass', () => {
  it('tells clients apart that get another form of some answer', () => {
    const headers = ['gzip', 'gzip, identity;q=0', 'identity'];
    expect(new Set(headers.map(encodingClass)).size).to.equal(3);
    expect(encodingClass('br, gzip')).to.equal(encodingClass('gzip'));
    expect(encodingClass()).to.equal(encodingClass('identity'));
  });
});
