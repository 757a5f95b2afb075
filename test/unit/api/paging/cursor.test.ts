import { expect } from 'chai';
import { decodeCursor, encodeCursor } from '../../../../services/api/paging/cursor.js';
import { AppError } from '../../../../shared/contract/errors.js';

const KEY = /^\d{20}$/;
const KEY_TEXT = '00123456789012345678';

describe('cursor', () => {
  it('gives back the position it was made of', () => {
    const cursor = encodeCursor(['latest', null], KEY_TEXT);
    expect(cursor).to.match(/^[\w-]+$/);
    expect(decodeCursor(['latest', null], cursor, KEY)[0]).to.equal(KEY_TEXT);
  });

  it('is refused by another question', () => {
    const cursor = encodeCursor(['latest', null], KEY_TEXT);
    expect(() => decodeCursor(['oldest', null], cursor, KEY)).to.throw(AppError, 'another sort');
    expect(() => decodeCursor(['latest', 'null'], cursor, KEY)).to.throw(AppError);
  });

  it('is refused when any one character is changed, lost or added', () => {
    const cursor = encodeCursor(['latest'], KEY_TEXT);
    for (let at = 0; at < cursor.length; at += 1) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      const changed = cursor.slice(0, at) + other + cursor.slice(at + 1);
      expect(() => decodeCursor(['latest'], changed, KEY), `character ${at}`).to.throw(AppError);
      const lost = cursor.slice(0, at) + cursor.slice(at + 1);
      expect(() => decodeCursor(['latest'], lost, KEY), `without ${at}`).to.throw(AppError);
    }
    for (const extra of ['=', '.', ' ', 'A', '\n', '%00']) {
      expect(() => decodeCursor(['latest'], cursor + extra, KEY)).to.throw(AppError);
    }
  });

  it('is refused when its position has not the shape of a key', () => {
    for (const position of ['', 'x', '{"$gt":""}', `${KEY_TEXT}0`]) {
      const cursor = encodeCursor(['latest'], position);
      expect(() => decodeCursor(['latest'], cursor, KEY)).to.throw(AppError);
    }
  });

  it('names the parameter in its error', () => {
    try {
      decodeCursor([], 'nonsense', KEY);
      expect.fail('It was taken');
    } catch (error) {
      expect(error).to.be.instanceOf(AppError);
      expect((error as AppError).code).to.equal('VALIDATION_ERROR');
      expect((error as AppError).details?.[0]?.path).to.equal('cursor');
    }
  });
});
