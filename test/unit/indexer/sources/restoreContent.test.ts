import { expect } from 'chai';
import { restorer } from '../../../../services/indexer/sources/restoreContent.js';
import { processorTime } from '../../../support/processorTime.js';

const mentions = [
  { id: '11', name: 'ann', nickname: 'Ann' },
  { id: '12', name: 'annie', nickname: 'Ann Lee' },
  { id: '13', name: 'crab', nickname: 'Crab 🦀' },
  { id: '14', name: 'odd', nickname: 'a.b(c)|*' },
  { id: '15', name: 'old' },
  { id: '16', name: 'x', nickname: 'Twin' },
  { id: '17', name: 'y', nickname: 'Twin' },
];
const emojis = [
  { id: '21', name: 'blob', isAnimated: false },
  { id: '22', name: 'party', isAnimated: true },
  { id: '', name: '👍', isAnimated: false },
];
const restore = restorer({ mentions, emojis });

describe('restorer', () => {
  for (const [text, expected] of [
    ['@Ann hello', '<@11> hello'],
    ['hi @Ann Lee, hi @Ann.', 'hi <@12>, hi <@11>.'],
    ['(@Ann)@Ann', '(<@11>)<@11>'],
    ['@Crab 🦀yes', '<@13>yes'],
    ['@a.b(c)|*', '<@14>'],
    ['@old', '<@15>'],
    ['你好@Ann你好', '你好<@11>你好'],
    [':blob: :party::blob:', '<:blob:21> <a:party:22><:blob:21>'],
    ['@Ann :blob:', '<@11> <:blob:21>'],
  ] as const) {
    it(`puts ids back into ${text}`, () => {
      expect(restore(text)).to.equal(expected);
    });
  }

  for (const text of [
    'mail bob@Ann.example or me@Ann',
    '@Annabel and @Anna',
    '@Twin',
    '@nobody :smile: 👍',
    'time 10:blob:30',
    '`@Ann` and ``:blob: ` `` and ```js\n@Ann :party:\n```',
    'https://example.org/@Ann/:blob: and www.example.org/@Ann',
    'raw <@11> stays, @Ann too',
    'raw <:blob:21> stays, :blob: too',
  ]) {
    it(`leaves ${JSON.stringify(text)}`, () => {
      expect(restore(text)).to.equal(text);
    });
  }

  it('takes backticks that open nothing for ordinary characters', () => {
    expect(restore('a ` b @Ann')).to.equal('a ` b <@11>');
    expect(restore('\\`@Ann\\`')).to.equal('\\`<@11>\\`');
    expect(restore('`x` @Ann `y`')).to.equal('`x` <@11> `y`');
  });

  it('gives back text that would grow beyond what a message may hold', () => {
    const text = '@Ann '.repeat(13_000);
    expect(restore(text)).to.equal(text);
  });

  it('takes time in proportion to hostile text', () => {
    const many = Array.from({ length: 200 }, (_, n) => ({ id: String(n + 100), name: `n${n}` }));
    const slow = restorer({ mentions: many, emojis });
    const texts = [
      '`'.repeat(60_000),
      '` `` '.repeat(12_000),
      '@n1'.repeat(20_000),
      ':'.repeat(60_000),
    ];
    const ordinary = 'said @n1 to @n2 :blob: '.repeat(2_600);
    const limit = 80 * processorTime(() => slow(ordinary));
    for (const text of texts) {
      expect(
        processorTime(() => slow(text), limit),
        text.slice(0, 9),
      ).to.be.below(limit);
    }
  });
});
