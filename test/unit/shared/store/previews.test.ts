import { expect } from 'chai';
import { firstCharacters } from '../../../../shared/store/previews.js';

describe('firstCharacters', () => {
  for (const [name, text] of Object.entries({
    'a short text': 'short',
    'a text of 200 characters': 'x'.repeat(200),
    'a longer text': 'x'.repeat(201),
    'characters of two units': '🌊'.repeat(201),
    'a character of two units at the end': `${'x'.repeat(199)}🌊 and more`,
    'lone surrogates': `${'\ud83c'.repeat(150)}${'\udf0a'.repeat(150)}`,
  })) {
    it(`takes at most 200 of ${name}, and cuts none in two`, () => {
      expect(firstCharacters(text)).to.equal(Array.from(text).slice(0, 200).join(''));
    });
  }
});
