import { expect } from 'chai';
import { findJsonFault } from '../../../../shared/exportFormat/findJsonFault.js';

describe('findJsonFault', () => {
  it('finds none in valid JSON', () => {
    const values = [{ a: [1, -2.5e3, true, null, 'x\n"\\\u0001'], b: {} }, [], {}, '', 0];
    for (const value of values) {
      expect(findJsonFault(` ${JSON.stringify(value)} `)).to.equal(null);
      expect(findJsonFault(JSON.stringify(value, null, 2))).to.equal(null);
    }
  });

  for (const [text, offset, expected] of [
    ['', 0, 'a value'],
    ['{"a" 1}', 5, '":"'],
    ['{"a": 1 "b": 2}', 8, '"," or "}"'],
    ['[1, ]', 4, 'a value'],
    ['{a: 1}', 1, 'a key in double quotes'],
    ['{"a\nb": 1}', 3, 'a valid character or the end of the text'],
    ['"a\nb"', 2, 'a valid character or the end of the text'],
    ['"a\\x"', 2, 'a valid character or the end of the text'],
    ['1 2', 2, 'the end of the value'],
    ['01', 1, 'the end of the value'],
  ] as const) {
    it(`finds the place in ${JSON.stringify(text)}`, () => {
      expect(findJsonFault(text)).to.deep.equal({ offset, expected });
    });
  }

  it('agrees with JSON.parse about every change of one character', () => {
    const text = '{"a":[1,{"b":"c\\n"}],"d":null}';
    for (let at = 0; at < text.length; at += 1) {
      for (const sign of ['', '"', '}', '1', ' ', ',', '\\']) {
        const changed = text.slice(0, at) + sign + text.slice(at + 1);
        expect(findJsonFault(changed) === null, changed).to.equal(parses(changed));
      }
    }
  });

  it('reads four megabytes of one string', () => {
    expect(findJsonFault(`"${'a\\n'.repeat(1_400_000)}`)).to.have.property('offset', 4_200_001);
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
