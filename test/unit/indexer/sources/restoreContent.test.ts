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
  { id: '18', name: 'mo', nickname: 'Mo @ work' },
  { id: '19', name: 'moe', nickname: 'Mo' },
  { id: '20', name: 'half', nickname: 'Ann\ud83e' },
];
const emojis = [
  { id: '21', name: 'blob', isAnimated: false },
  { id: '22', name: 'party', isAnimated: true },
  { id: '', name: '👍', isAnimated: false },
];
const restore = restorer({ mentions, emojis })();

describe('restorer', () => {
  for (const [text, expected] of [
    ['@Ann hello', '<@11> hello'],
    ['hi @Ann Lee, hi @Ann.', 'hi <@12>, hi <@11>.'],
    ['(@Ann)@Ann', '(<@11>)<@11>'],
    ['@Crab 🦀yes', '<@13>yes'],
    ['@Ann🦀', '<@11>🦀'],
    ['@a.b(c)|*', '<@14>'],
    ['@old', '<@15>'],
    ['你好@Ann你好', '你好<@11>你好'],
    [':blob: :party::blob:', '<:blob:21> <a:party:22><:blob:21>'],
    ['@Ann :blob:', '<@11> <:blob:21>'],
    ['@Ann Lees, @Ann', '<@11> Lees, <@11>'],
    ['@Ann Le', '<@11> Le'],
    ['@Mo @ work and @Mo @home', '<@18> and <@19> @home'],
    ['@@Ann', '@<@11>'],
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

  it('puts ids back for usernames where a file may hold them, unless another one has that name', () => {
    const people = [
      { id: '11', name: 'ann', nickname: 'Ann' },
      { id: '12', name: 'bob', nickname: 'carol' },
      { id: '13', name: 'carol', nickname: null },
      { id: '14', nickname: 'Dan' },
    ];
    const text = '@ann, @Ann, @bob, @carol, @Dan and @';
    const old = restorer({ mentions: people, mayBeUsernames: true, emojis: [] })();
    expect(old(text)).to.equal('<@11>, <@11>, <@12>, @carol, <@14> and @');
    const recent = restorer({ mentions: people, emojis: [] })();
    expect(recent(text)).to.equal('@ann, <@11>, @bob, @carol, <@14> and @');
  });

  it('leaves the words that mention everybody, even where somebody has one of them as a nickname', () => {
    const people = [
      { id: '11', name: 'ann', nickname: 'everyone' },
      { id: '12', name: 'bob', nickname: 'here' },
      { id: '13', name: 'carol', nickname: 'hereafter' },
    ];
    const text = '@everyone, @here and ';
    const sharing = restorer({ mentions: people, emojis: [] })();
    expect(sharing(`${text}@hereafter`)).to.equal(`${text}<@13>`);
  });

  it('leaves a name to whose last character an accent is added: it is another one', () => {
    expect(restore('@Ann\u0301, @Ann')).to.equal('@Ann\u0301, <@11>');
  });

  it('takes backticks that open nothing for ordinary characters', () => {
    expect(restore('a ` b @Ann')).to.equal('a ` b <@11>');
    expect(restore('\\`@Ann\\`')).to.equal('\\`<@11>\\`');
    expect(restore('`x` @Ann `y`')).to.equal('`x` <@11> `y`');
  });

  for (const [text, expected] of [
    ['# One ` more\n@Ann said `@Ann`', '# One ` more\n<@11> said `@Ann`'],
    ['> one ` more\n@Ann said `@Ann`', '> one ` more\n<@11> said `@Ann`'],
    ['- one ` more\n- @Ann said `@Ann`', '- one ` more\n- <@11> said `@Ann`'],
    ['> ```\n> @Ann\n> ```\n> @Ann', '> ```\n> @Ann\n> ```\n> <@11>'],
    ['https://example.org/` @Ann said `@Ann`', 'https://example.org/` <@11> said `@Ann`'],
  ] as const) {
    it(`takes for code in ${JSON.stringify(text)} what readers see as code`, () => {
      expect(restore(text)).to.equal(expected);
    });
  }

  it('gives back text that would grow beyond what a message may hold', () => {
    const text = '@Ann '.repeat(13_000);
    expect(restore(text)).to.equal(text);
  });

  it('gives back the texts by which a message would grow beyond what the store holds', () => {
    const restoreWith = restorer({ mentions: [{ id: '1'.repeat(20), name: 'a' }], emojis: [] });
    const texts = Array.from({ length: 500 }, () => '@a '.repeat(2_700));
    const restored = texts.map(restoreWith());
    expect(restored[0]).to.equal(`<@${'1'.repeat(20)}> `.repeat(2_700));
    expect(restored.at(-1)).to.equal(texts.at(-1));
    const grown = restored.join('').length - texts.join('').length;
    expect(grown).to.be.at.most(65_536);
  });

  it('takes time in proportion to hostile text', () => {
    const many = Array.from({ length: 200 }, (_, n) => ({ id: String(n + 100), name: `n${n}` }));
    const slow = restorer({ mentions: many, emojis })();
    const texts = [
      `@${'`'.repeat(120_000)}`,
      '` `` @'.repeat(10_000),
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

  it('takes time in proportion to the text, however many names go along with it', () => {
    const few = restorer({ mentions, emojis })();
    const ordinary = 'said @Ann to @Ann Lee :blob: '.repeat(2_100);
    const limit = 80 * processorTime(() => few(ordinary));
    const person = (name: string, n: number) => ({ id: String(n + 100), name });
    const names = Array.from({ length: 2_000 }, (_, n) => `${'@'.repeat(n + 1)}x`);
    const slow = restorer({ mentions: names.map(person), emojis })();
    const text = '@'.repeat(60_000);
    expect(processorTime(() => slow(text), limit)).to.be.below(limit);
  });

  it('gives an embed the emojis of its own before those of the message', () => {
    const own = [
      { id: '31', name: 'blob', isAnimated: true },
      { id: '32', name: 'more' },
    ];
    const text = ':blob: :more: :party: @Ann';
    const restoreWith = restorer({ mentions, emojis });
    expect(restoreWith(own)(text)).to.equal('<a:blob:31> <:more:32> <a:party:22> <@11>');
    expect(restoreWith()(text)).to.equal('<:blob:21> :more: <a:party:22> <@11>');
  });

  it('prepares the names of a message once for all its embeds', () => {
    let reads = 0;
    const counted = {
      name: 'ann',
      nickname: 'Ann',
      get id() {
        reads += 1;
        return '11';
      },
    };
    const restoreWith = restorer({ mentions: [counted], emojis });
    expect(restoreWith()('@Ann')).to.equal('<@11>');
    const once = reads;
    for (let embed = 0; embed < 10; embed += 1) {
      const own = [{ id: '31', name: `own${embed}` }];
      expect(restoreWith(own)('@Ann')).to.equal('<@11>');
    }
    expect(reads).to.equal(once);
  });
});
