import { expect } from 'chai';
import { parseQuery } from '../../../../services/api/search/parseQuery.js';
import { processorTime } from '../../../support/processorTime.js';

/** Expected terms: words as they are, and phrases in [brackets]. */
const CASES: [name: string, q: string, terms: string[]][] = [
  ['words', 'install node', ['install', 'node']],
  ['a phrase', '"install node"', ['[install node]']],
  ['both', 'how "install node" now', ['how', '[install node]', 'now']],
  ['two phrases', '"a b" "c d"', ['[a b]', '[c d]']],
  ['typographic quotes', '“install node” now', ['[install node]', 'now']],
  ['quotes of other languages', '„a b“ «c d» « e f »', ['[a b]', '[c d]', '[e f]']],
  [
    'quotes in words side by side',
    '如何“重置 密码”怎么办 「エラー」が',
    ['如何', '[重置 密码]', '怎么办', '[エラー]', 'が'],
  ],
  [
    'quotes with endings',
    'エラー"a b"の "오류 메시지"가',
    ['エラー', '[a b]', 'の', '[오류 메시지]', '가'],
  ],
  ['inches beside letters without spaces', '24"显示器和27"显示器', ['24"显示器和27"显示器']],
  ['an unbalanced quote', '"install node', ['install', 'node']],
  ['a third quote', '"install node" "now', ['[install node]', 'now']],
  ['inches', '5" and 3" disks', ['5', 'and', '3', 'disks']],
  ['a quote within a word', 'foo"bar baz"qux', ['foo"bar', 'baz"qux']],
  ['punctuation around a phrase', '("install node"), now', ['[install node]', 'now']],
  ['a repeated word at signs', 'boot, boot? (Boot)', ['boot']],
  [
    'signs around words',
    '¿(boot), `__init__`: @ada #help foo()...',
    ['boot', 'init', 'ada', 'help', 'foo'],
  ],
  ['signs of words', '(C++), "C#? .NET. --flag; ~/.env', ['C++', 'C#', '.NET', '--flag', '.env']],
  ['an apostrophe at the end', "boys' ‘וכו'", ['boys', "וכו'"]],
  ['an empty phrase', 'node "" " "', ['node']],
  ['a repeated word', 'node NODE "node"', ['node', '[node]']],
  ['spaces of every kind', ' a\t\u3000b\u00a0c\n', ['a', 'b', 'c']],
  ['apostrophes', 'don’t don‘t don´t ‘a’ b`c', ["don't", 'a', 'b`c']],
  ['control characters', 'a\u0000b \u001bc', ['a', 'b', 'c']],
  ['lone surrogates', 'a\ud800b \udfff', ['a', 'b']],
  ['a decomposed letter', 'cafe\u0301', ['caf\u00e9']],
  ['signs alone', '!!! -- && () {} [] * ? ~ ^ : \\ /', []],
  ['operators of other languages', 'a AND b OR NOT c', ['a', 'AND', 'b', 'OR', 'NOT', 'c']],
  ['engineers’ words', 'C++ .NET --flag foo_bar', ['C++', '.NET', '--flag', 'foo_bar']],
  ['emoji', '🎉 👩‍💻 ❤️', ['🎉', '👩‍💻', '❤️']],
  ['emoji side by side', '👍👍🏽🇫🇷🇩🇪🏴󠁧󠁢󠁥󠁮󠁧󠁿', ['👍', '👍🏽', '🇫🇷', '🇩🇪', '🏴󠁧󠁢󠁥󠁮󠁧󠁿']],
  ['emoji at words', 'node❤️now "so 🎉"', ['node', '❤️', 'now', '[so 🎉]']],
  ['signs of trade', 'Node® ™ now', ['Node', 'now']],
  ['apostrophes alone', "ʼ ʻ ' ’ now", ['now']],
  ['other scripts', '搜索引擎 ภาษาไทย العربية', ['搜索引擎', 'ภาษาไทย', 'العربية']],
];

describe('parseQuery', () => {
  for (const [name, q, expected] of CASES) {
    it(`takes ${name} apart`, () => {
      const terms = parseQuery(q).terms.map(({ text, phrase }) => (phrase ? `[${text}]` : text));
      expect(terms).to.deep.equal(expected);
    });
  }

  it('counts words as a reader would', () => {
    expect(parseQuery('node.js').words).to.equal(1);
    expect(parseQuery('"install node.js" now!').words).to.equal(3);
    expect(parseQuery('搜索引擎').words).to.equal(2);
    expect(parseQuery('node🚀👍🏽 ® !').words).to.equal(3);
  });

  it('takes little longer for hostile input than for any other', () => {
    const parseOften = (text: string) => {
      for (let n = 0; n < 20; n += 1) {
        parseQuery(text);
      }
    };
    const limit = 80 * processorTime(() => parseOften('word '.repeat(32)));
    for (const part of ['"', '" ', 'a" ', '"a', '\u0301', '"a" ', 'ﷺ', '👩‍💻‍']) {
      const text = part.repeat(512).slice(0, 512);
      expect(
        processorTime(() => parseOften(text), limit),
        part,
      ).to.be.below(limit);
    }
  });
});
