import { expect } from 'chai';
import { BSON } from 'mongodb';
import { rawTexts } from '../../../../services/api/stores/rawTexts.js';

describe('rawTexts', () => {
  it('gives the bytes of each text, whatever it holds, wherever the document lies', () => {
    const document = {
      item: '{"a":"é\\u0000"}',
      empty: '',
      long: '長い'.repeat(5_000),
      nul: 'a\0b',
    };
    const bytes = BSON.serialize(document);
    const within = new Uint8Array(bytes.length + 20);
    within.set(bytes, 7);
    for (const raw of [bytes, within.subarray(7, 7 + bytes.length)]) {
      const texts = Object.entries(rawTexts(raw)).map(([name, text]) => [name, text.toString()]);
      expect(Object.fromEntries(texts)).to.deep.equal(document);
    }
  });

  it('throws for what is no text, and for what is no document', () => {
    for (const other of [{ item: 1 }, { item: null }, { item: ['a'] }]) {
      expect(() => rawTexts(BSON.serialize(other))).to.throw(TypeError, 'item is not a string');
    }
    expect(() => rawTexts(BSON.serialize({ item: 'abc' }).subarray(0, 12))).to.throw();
  });
});
