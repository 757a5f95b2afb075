import { expect } from 'chai';
import { askedPart } from '../../../../services/api/http/askedPart.js';
import { AppError } from '../../../../shared/contract/errors.js';

describe('askedPart', () => {
  const ETAG = '"f0"';
  const part = (range: string, ifRange = '', bytes = 10) =>
    askedPart({ range, ifRange }, bytes, ETAG);

  it('reads which bytes are asked for', () => {
    expect(part('bytes=0-0')).to.deep.equal({ from: 0, to: 0 });
    expect(part('bytes=2-5')).to.deep.equal({ from: 2, to: 5 });
    expect(part('bytes=2-')).to.deep.equal({ from: 2, to: 9 });
    expect(part('BYTES=9-99999999999999999999')).to.deep.equal({ from: 9, to: 9 });
    expect(part('bytes=-3')).to.deep.equal({ from: 7, to: 9 });
    expect(part('bytes=-99')).to.deep.equal({ from: 0, to: 9 });
  });

  it('gives the whole file where it is not asked for one part', () => {
    for (const range of ['', 'bytes=-', 'bytes=5-2', 'bytes=0-1,4-5', 'bytes=a-b', 'lines=0-1']) {
      expect(part(range), range).to.equal(undefined);
    }
  });

  it('gives the whole file where the client has parts of another one', () => {
    expect(part('bytes=2-5', ETAG)).to.deep.equal({ from: 2, to: 5 });
    for (const other of ['"f1"', 'W/"f0"', 'Sun, 29 Nov 2026 12:00:00 GMT']) {
      expect(part('bytes=2-5', other), other).to.equal(undefined);
    }
  });

  it('refuses a part that begins behind the end, and tells how long the file is', () => {
    for (const [range, bytes] of [
      ['bytes=10-', 10],
      ['bytes=99999999999999999999-', 10],
      ['bytes=-0', 10],
      ['bytes=0-', 0],
    ] as const) {
      expect(() => part(range, '', bytes), range)
        .to.throw(AppError, `The file has ${bytes} bytes`)
        .with.deep.property('headers', { 'Content-Range': `bytes */${bytes}` });
    }
  });
});
