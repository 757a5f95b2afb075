import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { readCredential } from '../../../../../services/api/http/credentials/readCredential.js';

/** A request with these headers, of which each may have been sent several times. */
function requestWith(sent: Record<string, string[]>): IncomingMessage {
  const headers: Record<string, unknown> = {};
  for (const [name, [first]] of Object.entries(sent)) headers[name] = first;
  return { headers, headersDistinct: sent } as unknown as IncomingMessage;
}

/** What is read from an Authorization header. */
function read(authorization: string, basic = false): unknown {
  const credential = readCredential(requestWith({ authorization: [authorization] }), basic);
  return credential && [credential.kind, credential.text];
}

const encoded = (text: string): string => Buffer.from(text).toString('base64');

describe('readCredential', () => {
  it('takes a token for one of the platform that this service would never issue', () => {
    const longest = 'a'.repeat(4_096);
    for (const token of ['a', 'A-z_0.9~+/==', 'a.b', 'a.b.c.d', 'xfa_1', 'fb_1', longest]) {
      for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer ']) {
        expect(read(`${scheme} ${token}`), token).to.deep.equal(['platform', token]);
      }
    }
  });

  it('keeps back from the platform what may be a secret of this service', () => {
    for (const token of ['a.b.c', 'a.b.', 'a-_.b-_.c-_', 'fa_1', 'fr_1', 'a'.repeat(4_097)]) {
      expect(read(`Bearer ${token}`), token).to.deep.equal(['jwt', token]);
    }
  });

  it('reads no token where the header holds anything else', () => {
    for (const header of ['', 'Bearer', 'Bearer ', 'Bearera', 'x Bearer a', 'Bearer a b', 'a']) {
      for (const basic of [false, true]) expect(read(header, basic)).to.deep.equal(['jwt', '']);
    }
    expect(read('Bearer a, Basic YTpi')).to.deep.equal(['jwt', '']);
    for (const header of ['x Basic YTpi', 'BasicYTpi']) {
      expect(read(header), header).to.deep.equal(['jwt', '']);
    }
  });

  it('ignores a password, unless the operation takes one', () => {
    for (const header of ['Basic', 'Basic YTpi', 'basic YTpi', 'Basic ?']) {
      expect(read(header), header).to.equal(null);
    }
    const both = requestWith({ authorization: ['Basic YTpi'], 'x-api-key': ['fa_1'] });
    expect(readCredential(both)).to.deep.equal({ kind: 'key', text: 'fa_1' });
    expect(() => readCredential(both, true)).to.throw(/only one/);
    for (const header of ['Basic', 'x Basic YTpi', 'Basic YTpi x', 'Basic ?']) {
      expect(read(header, true), header).to.deep.equal(['jwt', '']);
    }
  });

  it('takes a password for an API key, whatever the name of the user', () => {
    for (const scheme of ['Basic', 'basic', 'Basic ']) {
      for (const [text, password] of [
        ['ann:fa_1', 'fa_1'],
        [':fa_1', 'fa_1'],
        ['ann:a:b?>', 'a:b?>'],
        ['fa_1', 'fa_1'],
        ['ann:', ''],
      ] as const) {
        expect(read(`${scheme} ${encoded(text)}`, true), text).to.deep.equal(['key', password]);
      }
    }
  });

  it('reads one credential at most', () => {
    expect(readCredential(requestWith({}))).to.equal(null);
    expect(readCredential(requestWith({ 'x-api-key': [''] }))).to.deep.equal({
      kind: 'key',
      text: '',
    });
    const [twice, keys] = [{ authorization: ['Basic a', 'Basic a'] }, { 'x-api-key': ['a', 'a'] }];
    for (const sent of [twice, keys, { authorization: ['Bearer a'], 'x-api-key': ['a'] }]) {
      expect(() => readCredential(requestWith(sent))).to.throw(/only one/);
    }
  });
});
