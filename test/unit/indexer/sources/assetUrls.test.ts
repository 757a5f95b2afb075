import { expect } from 'chai';
import { webUrl } from '../../../../services/indexer/sources/assetUrls.js';

describe('webUrl', () => {
  it('takes addresses with letters beyond ASCII, however often it is asked', () => {
    const addresses = ['https://müller.example/ü', 'https://例え.example/', 'https://a.example/'];
    for (let n = 0; n < 60_000; n += 1) {
      const address = addresses[n % 3]!;
      if (webUrl(address) !== address) expect.fail(`${address} was refused at call ${n}`);
    }
  });

  it('takes no other than those of the web', () => {
    for (const address of [null, '', 'no address', 'ftp://a.example/', 'javascript:alert(1)'])
      expect(webUrl(address)).to.equal(null);
  });
});
