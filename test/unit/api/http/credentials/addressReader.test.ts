import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import {
  createAddressReader,
  createPeerReader,
  networkOf,
} from '../../../../../services/api/http/credentials/addressReader.js';

function from(remoteAddress: string | undefined, forwarded?: string): IncomingMessage {
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
    ['fe80::1%a:b:c:d:e:f:g', 'fe80:0:0:0::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['', ''],
  ];
  for (const [address, network] of cases) {
    it(`counts ${address || 'nothing'} as ${network || 'nothing'}`, () => {
      expect(networkOf(address)).to.equal(network);
    });
  }
});

describe('createAddressReader', () => {
  const direct = createAddressReader(false);
  const one = createAddressReader(1);
  const two = createAddressReader(2);
  const listed = createAddressReader(['10.0.0.1', '172.16.0.0/12', 'loopback']);

  it('believes no X-Forwarded-For unless told', () => {
    expect(direct(from('10.0.0.1', '192.0.2.7'))).to.equal('10.0.0.1');
  });

  it('uses the entry of the outermost of so many proxies, not those that a client made up', () => {
    const chain = '1.1.1.1, 192.0.2.7, 10.0.0.2';
    expect(one(from('10.0.0.1', chain))).to.equal('10.0.0.2');
    expect(two(from('10.0.0.1', chain))).to.equal('192.0.2.7');
    expect(two(from('10.0.0.1', '192.0.2.7'))).to.equal('192.0.2.7');
  });

  it('believes only listed proxies: a client that connects directly does not choose its address', () => {
    expect(listed(from('203.0.113.5', '1.1.1.1'))).to.equal('203.0.113.5');
    expect(listed(from('203.0.113.5', '1.1.1.1, 10.0.0.1'))).to.equal('203.0.113.5');
    expect(listed(from('10.0.0.1', '1.1.1.1, 192.0.2.7'))).to.equal('192.0.2.7');
    expect(listed(from('::ffff:10.0.0.1', '1.1.1.1, 192.0.2.7, 172.18.0.9'))).to.equal('192.0.2.7');
    expect(listed(from('::1', '192.0.2.7, 127.0.0.5'))).to.equal('192.0.2.7');
  });

  it('ignores ports', () => {
    expect(one(from('10.0.0.1', '1.1.1.1,[2001:db8::1]:80'))).to.equal('2001:db8:0:0::/64');
    expect(one(from('10.0.0.1', '192.0.2.7:4711'))).to.equal('192.0.2.7');
    expect(listed(from('10.0.0.1', '192.0.2.7:4711, 172.16.0.1:80'))).to.equal('192.0.2.7');
  });

  it('falls back to the connection where the entry is no address', () => {
    for (const forwarded of ['', 'unknown', '1.2.3', 'x'.repeat(5_000)]) {
      expect(one(from('10.0.0.1', forwarded))).to.equal('10.0.0.1');
      expect(listed(from('10.0.0.1', forwarded))).to.equal('10.0.0.1');
    }
    expect(one(from('', ''))).to.equal('');
  });

  it('has no address for a connection that was closed meanwhile', () => {
    for (const read of [direct, one, listed]) expect(read(from(undefined))).to.equal('');
    expect(createPeerReader(false)({ remoteAddress: undefined })).to.equal('');
  });
});

describe('createPeerReader', () => {
  it('counts connections, except for those of trusted proxies', () => {
    const peer = { remoteAddress: '::ffff:192.0.2.7' };
    expect(createPeerReader(false)(peer)).to.equal('192.0.2.7');
    expect(createPeerReader(['192.0.2.0/24'])(peer)).to.equal(undefined);
    expect(createPeerReader(['192.0.3.0/24'])(peer)).to.equal('192.0.2.7');
    expect(createPeerReader(1)(peer)).to.equal(undefined);
  });
});
