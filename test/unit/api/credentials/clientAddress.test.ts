import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import {
  clientAddress,
  networkOf,
} from '../../../../services/api/http/credentials/clientAddress.js';

function from(remoteAddress: string, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

describe('networkOf', () => {
  const cases: [string, string][] = [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['', ''],
  ];
  for (const [address, network] of cases) {
    it(`counts ${address || 'nothing'} as ${network || 'nothing'}`, () => {
      expect(networkOf(address)).to.equal(network);
    });
  }
});

describe('clientAddress', () => {
  it('believes X-Forwarded-For only of a trusted proxy', () => {
    const request = from('10.0.0.1', '192.0.2.7');
    expect(clientAddress(request, false)).to.equal('10.0.0.1');
    expect(clientAddress(request, true)).to.equal('192.0.2.7');
  });

  it('takes the entry of the proxy itself, not those that a client made up', () => {
    expect(clientAddress(from('10.0.0.1', '1.1.1.1, 192.0.2.7'), true)).to.equal('192.0.2.7');
    expect(clientAddress(from('10.0.0.1', '1.1.1.1,[2001:db8::1]:80'), true)).to.equal(
      '2001:db8:0:0::/64',
    );
    expect(clientAddress(from('10.0.0.1', '192.0.2.7:4711'), true)).to.equal('192.0.2.7');
  });

  it('falls back to the connection where the entry is no address', () => {
    for (const forwarded of ['', 'unknown', '1.2.3', 'x'.repeat(5_000), '1.1.1.1, ']) {
      expect(clientAddress(from('10.0.0.1', forwarded), true)).to.equal('10.0.0.1');
    }
  });
});
