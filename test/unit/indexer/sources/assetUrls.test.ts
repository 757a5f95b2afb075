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

  it('writes the slashes behind the scheme, without which a browser reads a path of the page', () => {
    for (const address of ['https:a.example', 'https:/a.example/', 'https:///a.example']) {
      expect(webUrl(address)).to.equal('https://a.example/');
    }
  });

  it('escapes what does not belong in an address, such as marks that reorder text', () => {
    expect(webUrl('https://a.example/b c"d')).to.equal('https://a.example/b%20c%22d');
    expect(webUrl('https://a.example/?b`c\\d')).to.equal('https://a.example/?b%60c%5Cd');
    expect(webUrl('https://a.example/\u202egnp.exe')).to.equal(
      'https://a.example/%E2%80%AEgnp.exe',
    );
  });
});
