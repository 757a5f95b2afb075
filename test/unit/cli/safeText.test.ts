import { expect } from 'chai';
import { safeJson, safeText } from '../../../services/cli/safeText.js';

// An escape sequence, a line break, the same sequence in one character, a reordering, and half of a pair.
const HOSTILE = 'a\u001b[2J\r\n\u009b31m\u202eb\ud800.json';

describe('safeText', () => {
  it('escapes what controls a terminal', () => {
    expect(safeText(HOSTILE)).to.equal(
      'a\\u{001b}[2J\\u{000d}\\u{000a}\\u{009b}31m\\u{202e}b\\u{d800}.json',
    );
    expect(safeText('漢字 é 🦀')).to.equal('漢字 é 🦀');
  });
});

describe('safeJson', () => {
  it('is JSON of the same value that controls no terminal', () => {
    const value = { name: HOSTILE, tag: '\u{e0041}', plain: '漢字 é 🦀', list: [1] };
    const json = safeJson(value);
    expect(JSON.parse(json)).to.deep.equal(value);
    expect(json).to.include('漢字 é 🦀').and.include('\n    1\n');
    expect(json.replaceAll('\n', '')).to.not.match(/[\p{Cc}\p{Cf}]/u);
  });
});
