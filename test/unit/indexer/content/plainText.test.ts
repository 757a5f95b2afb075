import { expect } from 'chai';
import { plainText } from '../../../../services/indexer/content/plainText.js';
import { MAX_MARKUP_LENGTH } from '../../../../services/indexer/content/prepareText.js';
import { hostileContent, repetitions, seededRandom } from './hostileContent.js';
import { CASE_CONTEXT } from './markdownCases.js';

describe('plainText', () => {
  const cases: [content: string, text: string][] = [
    ['hello', 'hello'],
    ['a < b & c', 'a < b & c'],
    ['', ''],
    ['a\nb\n\nc', 'a\nb\n\nc'],
    ['*i* **b** __u__ ~~s~~', 'i b u s'],
    ['||secret||', 'secret'],
    ['# Title\ntext', 'Title\n\ntext'],
    ['-# small', 'small'],
    ['> a\n> b\nc', 'a\nb\n\nc'],
    ['- a\n  - b\n- c', 'a\nb\nc'],
    ['`a*b*` c', 'a*b* c'],
    ['```js\n**a** <@1>\n```', '**a** <@1>'],
    ['a ```b``` c', 'a\n\nb\n\nc'],
    ['||```a``` b||', 'a\n b'],
    ['<@111111111111111111> <@9>', '@Ann @unknown-user'],
    ['<@&444444444444444444> <#222222222222222222> </ask now:5>', '@Helpers #How to /ask now'],
    ['a <:wave:55> <a:dance:66>', 'a :wave: :dance:'],
    ['<:wave:55> 😀', ':wave: 😀'],
    ['<t:1618953630:R>', '20 April 2021 21:20 UTC'],
    ['[docs](https://a.org/x)', 'docs (https://a.org/x)'],
    ['https://a.org <https://b.org>', 'https://a.org https://b.org'],
    [
      'https://discord.com/channels/1/222222222222222222',
      'https://discord.com/channels/1/222222222222222222',
    ],
    ['\\*a\\* snake_case', '*a* snake_case'],
    ['<script>', '<script>'],
    ['**a\n\nb**', 'a\n\nb'],
  ];
  for (const [content, text] of cases) {
    it(JSON.stringify(content), () => {
      expect(plainText(content, CASE_CONTEXT)).to.equal(text);
    });
  }

  it('keeps content that is too long for markup as it is', () => {
    const content = `**a** ${'x'.repeat(MAX_MARKUP_LENGTH)}`;
    expect(plainText(content, CASE_CONTEXT)).to.equal(content);
  });

  it('never throws and never grows beyond its names', () => {
    const random = seededRandom(3);
    for (let i = 0; i < 600; i++) {
      const content = hostileContent(random);
      expect(plainText(content, CASE_CONTEXT).length).to.be.at.most(content.length * 4 + 40);
    }
  });

  it('takes bounded time for the longest hostile content', function () {
    this.timeout(60_000);
    for (const content of repetitions(MAX_MARKUP_LENGTH)) {
      let best = Infinity;
      for (let i = 0; i < 5 && best >= 150; i++) {
        const start = performance.now();
        plainText(content, CASE_CONTEXT);
        best = Math.min(best, performance.now() - start);
      }
      expect(best, JSON.stringify(content.slice(0, 20))).to.be.below(150);
    }
  });
});
