import { expect } from 'chai';
import {
  MAX_MARKUP_LENGTH,
  prepareText,
} from '../../../../services/indexer/content/prepareText.js';
import {
  renderContent,
  renderMarkup,
  type RenderContext,
} from '../../../../services/indexer/content/renderContent.js';
import { isPlain } from '../../../../services/indexer/content/renderPlain.js';
import { sanitizeMarkup } from '../../../../services/indexer/content/sanitizeMarkup.js';
import { processorTime } from '../../../support/processorTime.js';
import { expectSafeHtml, textOf } from './expectSafeHtml.js';
import { hostileContent, repetitions, seededRandom } from './hostileContent.js';
import { CASE_CONTEXT, MARKDOWN_CASES } from './markdownCases.js';
import { XSS_PAYLOADS } from './xssPayloads.js';

/**
 * How many times as long as an ordinary message of the greatest length hostile content may take. Some 25 were measured.
 */
const MOST_TIMES = 80;
const ORDINARY = 'The quick **brown** fox `jumps` over https://example.org/a and <@1> _again_\n'
  .repeat(MAX_MARKUP_LENGTH / 70)
  .slice(0, MAX_MARKUP_LENGTH);

function contextNaming(name: string): RenderContext {
  return {
    guildId: name,
    users: new Map([['1', name]]),
    roles: new Map([['1', name]]),
    targets: new Map([
      ['1', { kind: 'thread', name }],
      ['2', { kind: 'channel', name }],
    ]),
    nameRoom: Infinity,
  };
}

function timeOf(content: string, limit?: number): number {
  return processorTime(() => renderContent(content, CASE_CONTEXT), limit);
}

describe('renderContent', () => {
  for (const [construct, cases] of Object.entries(MARKDOWN_CASES)) {
    describe(construct, () => {
      for (const [markdown, html] of cases) {
        it(JSON.stringify(markdown), () => {
          expect(renderContent(markdown, CASE_CONTEXT)).to.equal(html);
          expectSafeHtml(html);
        });
      }
    });
  }

  describe('with hostile input', () => {
    const places: Record<string, (payload: string) => string> = {
      content: (payload) => renderContent(payload, CASE_CONTEXT),
      'content after text': (payload) => renderContent(`text *a* ${payload} b`, CASE_CONTEXT),
      'a spoiler': (payload) => renderContent(`||${payload}||`, CASE_CONTEXT),
      'a quote': (payload) => renderContent(`>>> ${payload}`, CASE_CONTEXT),
      'link text': (payload) => renderContent(`[${payload}](https://x.org)`, CASE_CONTEXT),
      'a link target': (payload) => renderContent(`[text](${payload})`, CASE_CONTEXT),
      'an angled link target': (payload) => renderContent(`[text](<${payload}>)`, CASE_CONTEXT),
      'a link title': (payload) => renderContent(`[a](https://x.org "${payload}")`, CASE_CONTEXT),
      'an angled address': (payload) => renderContent(`<${payload}>`, CASE_CONTEXT),
      'a bare address': (payload) => renderContent(`https://x.org/${payload}`, CASE_CONTEXT),
      'an emoji name': (payload) => renderContent(`a <:${payload}:1>`, CASE_CONTEXT),
      'a command name': (payload) => renderContent(`</${payload}:1>`, CASE_CONTEXT),
      'inline code': (payload) => renderContent(`\`\`${payload}\`\``, CASE_CONTEXT),
      'a code language': (payload) => renderContent(`\`\`\`${payload}\ncode\n\`\`\``, CASE_CONTEXT),
      'highlighted HTML': (payload) =>
        renderContent(`\`\`\`html\n${payload}\n\`\`\``, CASE_CONTEXT),
      'highlighted JavaScript': (payload) =>
        renderContent(`\`\`\`js\n${payload}\n\`\`\``, CASE_CONTEXT),
      'content too long for markup': (payload) =>
        renderContent(`${payload}${' '.repeat(MAX_MARKUP_LENGTH)}x`, CASE_CONTEXT),
      'names and the server id': (payload) =>
        renderContent(
          '<@1> <@&1> <#1> <#2> <id:guide> https://discord.com/channels/1/1/5',
          contextNaming(payload),
        ),
    };

    for (const [place, render] of Object.entries(places)) {
      it(`stays safe in ${place}`, () => {
        expect(XSS_PAYLOADS.length).to.be.at.least(150);
        for (const payload of XSS_PAYLOADS) expectSafeHtml(render(payload));
      });
    }

    it('shows a payload as the text it is', () => {
      const payload = '<script>alert(1)</script><img src=x onerror=alert(1)>';
      expect(textOf(renderContent(payload, CASE_CONTEXT))).to.equal(payload);
    });

    it('stays safe, balanced and stable for any mix of markers', () => {
      const random = seededRandom(7);
      for (let i = 0; i < 600; i++) {
        const content = hostileContent(random);
        const html = renderContent(content, contextNaming('<b>"\'&'));
        expectSafeHtml(html);
        expect(sanitizeMarkup(html), JSON.stringify(content)).to.equal(html);
      }
    });

    it('never mistakes markup for plain text', () => {
      const random = seededRandom(11);
      const letters = [
        'a',
        'É',
        ' ',
        '.',
        ',',
        '-',
        '1',
        '2.',
        '\n',
        '\n\n',
        '&',
        '>',
        '"',
        '😀',
        ':',
      ];
      let plain = 0;
      for (let i = 0; i < 3_000; i++) {
        const content =
          i % 3 === 0
            ? hostileContent(random)
            : Array.from(
                { length: 12 },
                () => letters[Math.floor(random() * letters.length)]!,
              ).join('');
        const text = prepareText(content);
        if (!isPlain(text)) continue;
        plain++;
        expect(renderContent(content, CASE_CONTEXT)).to.equal(renderMarkup(text, CASE_CONTEXT));
      }
      expect(plain).to.be.above(500);
    });
  });

  it('shows content that is too long for markup as plain text', () => {
    const html = renderContent(`**a**\n<b>${'x'.repeat(MAX_MARKUP_LENGTH)}`, CASE_CONTEXT);
    expect(html.slice(0, 30)).to.equal('<p>**a**<br />&lt;b&gt;xxxxxxx');
    expect(html.endsWith('x</p>')).to.be.true;
  });

  it('reads markup up to the longest allowed length', () => {
    const content = `**a**${' x'.repeat((MAX_MARKUP_LENGTH - 5) / 2)}`;
    expect(renderContent(content, CASE_CONTEXT)).to.match(/^<p><strong>a<\/strong> x/);
  });

  it('shows what is nested too deeply as text, and stays balanced', () => {
    const html = renderContent(`${'- '.repeat(40)}x`, CASE_CONTEXT);
    expectSafeHtml(html);
    expect(html.match(/<ul>/g)).to.have.length(17);
    expect(textOf(html)).to.equal(`${'- '.repeat(23)}x`);
  });

  it('keeps names on one line and without direction overrides', () => {
    const html = renderContent('<@1>', contextNaming('A\u202eb\n\nc'));
    expect(html).to.equal('<p><span class="mention">@Ab c</span></p>');
  });

  it('leaves code alone that would take too long to highlight', () => {
    const code = 'let a = 1;\n'.repeat(300);
    const html = renderContent(`\`\`\`js\n${code}\`\`\``, CASE_CONTEXT);
    expect(html).to.equal(`<pre><code class="hljs language-js">${code.trimEnd()}</code></pre>`);
    expect(renderContent(`\`\`\`js\nlet ${'a'.repeat(300)}\`\`\``, CASE_CONTEXT)).not.to.include(
      'hljs-keyword',
    );
  });

  it('takes bounded time for the longest hostile content, and reads another part of it as it is', () => {
    const limit = MOST_TIMES * timeOf(ORDINARY);
    const part = '\n\u2029||hidden||';
    for (const costly of repetitions(MAX_MARKUP_LENGTH - part.length)) {
      let html = '';
      const render = () => (html = renderContent(costly + part, CASE_CONTEXT));
      const unit = JSON.stringify(costly.slice(0, 20));
      expect(processorTime(render, limit), unit).to.be.below(limit);
      expect(html, unit).to.match(/ aria-expanded="false">hidden</);
    }
  });

  it('takes time in proportion to the labels of links in each other', () => {
    const nested = (label: string): string =>
      [...Array<string>(16).fill('['), label, ' https://a.b ', '](https://a.b)'.repeat(16)].join(
        '',
      );
    const limit = 20 * timeOf(nested('a '.repeat(2_800)));
    expect(timeOf(nested('a'.repeat(5_600)), limit)).to.be.below(limit);
  });

  it('takes bounded time for hostile code', () => {
    const limit = MOST_TIMES * timeOf(ORDINARY);
    for (const lang of ['java', 'ini', 'nginx', 'csharp', 'clojure', 'html', 'php']) {
      for (const unit of ['a', '$', '-', 'a ', '(', '\n', '"', '<a ']) {
        const code = unit.repeat(Math.floor(1_900 / unit.length));
        const content = `\`\`\`${lang}\n${code}x\n\`\`\``.repeat(3);
        expect(timeOf(content, limit), `${lang} ${JSON.stringify(unit)}`).to.be.below(limit);
      }
    }
  });
});
