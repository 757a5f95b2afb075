import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createCursors } from '../../../../services/api/paging/cursors.js';
import { AppError } from '../../../../shared/contract/errors.js';

const KEY = /^\d{20}$/;
const KEY_TEXT = '00123456789012345678';

const { write, read } = createCursors('a secret');

describe('cursors', () => {
  it('gives back the position it was made of', () => {
    const cursor = write(['latest', null], KEY_TEXT);
    expect(cursor).to.match(/^[\w-]+$/);
    expect(read(['latest', null], cursor, KEY)[0]).to.equal(KEY_TEXT);
  });

  it('is refused by another question', () => {
    const cursor = write(['latest', null], KEY_TEXT);
    expect(() => read(['oldest', null], cursor, KEY)).to.throw(AppError, 'begin again without it');
    expect(() => read(['latest', 'null'], cursor, KEY)).to.throw(AppError);
  });

  it('is refused when any one character is changed, lost or added', () => {
    const cursor = write(['latest'], KEY_TEXT);
    for (let at = 0; at < cursor.length; at += 1) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      const changed = cursor.slice(0, at) + other + cursor.slice(at + 1);
      expect(() => read(['latest'], changed, KEY), `character ${at}`).to.throw(AppError);
      const lost = cursor.slice(0, at) + cursor.slice(at + 1);
      expect(() => read(['latest'], lost, KEY), `without ${at}`).to.throw(AppError);
    }
    for (const extra of ['=', '.', ' ', 'A', '\n', '%00']) {
      expect(() => read(['latest'], cursor + extra, KEY)).to.throw(AppError);
    }
  });

  it('is refused when its position has not the shape of a key', () => {
    for (const position of ['', 'x', '{"$gt":""}', `${KEY_TEXT}0`]) {
      const cursor = write(['latest'], position);
      expect(() => read(['latest'], cursor, KEY)).to.throw(AppError);
    }
  });

  it('is refused when another secret, or none, has signed it', () => {
    const other = createCursors('another secret').write(['latest'], KEY_TEXT);
    const digest = createHash('sha256')
      .update(JSON.stringify([['latest'], KEY_TEXT]))
      .digest();
    const forged = Buffer.concat([digest.subarray(0, 12), Buffer.from(KEY_TEXT)]);
    for (const cursor of [other, forged.toString('base64url')]) {
      expect(() => read(['latest'], cursor, KEY)).to.throw(AppError);
    }
  });

  it('names the parameter in its error', () => {
    try {
      read([], 'nonsense', KEY);
      expect.fail('It was taken');
    } catch (error) {
      expect(error).to.be.instanceOf(AppError);
      expect((error as AppError).code).to.equal('VALIDATION_ERROR');
      expect((error as AppError).details?.[0]?.path).to.equal('cursor');
    }
  });
});
