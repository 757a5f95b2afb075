import { expect } from 'chai';
import { nameMentions, readableText } from '../../../../services/indexer/content/readableText.js';
import {
  renderContent,
  type RenderContext,
} from '../../../../services/indexer/content/renderContent.js';

const CONTEXT: RenderContext = {
  guildId: '900000000000000001',
  users: new Map([['100000000000000001', 'Ada']]),
  roles: new Map([['200000000000000001', 'Keepers']]),
  targets: new Map([['300000000000000001', { kind: 'channel', name: 'help' }]]),
  nameRoom: Infinity,
};

describe('readableText', () => {
  const cases: [content: string, shown: string][] = [
    ['Ask <@100000000000000001> or <@!100000000000000001>', 'Ask @Ada or @Ada'],
    ['Ask <@100000000000000009>', 'Ask @unknown-user'],
    [
      '`a\n\u2029<@100000000000000001>`\n\u2029\n\u2029`<@100000000000000001>`',
      '`a\n\u2029@Ada`\n\u2029\n\u2029`<@100000000000000001>`',
    ],
    ['<@&200000000000000001> in <#300000000000000001>', '@Keepers in #help'],
    ['<:meshcore:1357448764339785972> <a:wave:1357448764339785973>', ':meshcore: :wave:'],
    ['at <t:1700000000:f>', 'at 14 November 2023 22:13 UTC'],
    ['</rules show:400000000000000001> and <id:browse>', '/rules show and Browse Channels'],
    [
      '**bold** _as written_ <https://example.org/a>',
      '**bold** _as written_ <https://example.org/a>',
    ],
    ['`<@100000000000000001>` <@100000000000000001>', '`<@100000000000000001>` @Ada'],
    ['```\n<@100000000000000001>\n```', '```\n<@100000000000000001>\n```'],
    ['\\<@100000000000000001>', '\\<@100000000000000001>'],
    ['a\\\\<@100000000000000001>', 'a\\\\@Ada'],
    ['a\\\\\\<@100000000000000001>', 'a\\\\\\<@100000000000000001>'],
    ['\\`<@100000000000000001>`', '\\`@Ada`'],
    ['\\\\`<@100000000000000001>`', '\\\\`<@100000000000000001>`'],
    ['\\😀<@100000000000000001> \\', '\\😀@Ada \\'],
    ['> ```js\n<@100000000000000001>\n```', '> ```js\n@Ada\n```'],
    ['> ```js\n> <@100000000000000001>\n> ```', '> ```js\n> <@100000000000000001>\n> ```'],
    ['> a\n>\n> - b\n>\n>   *<@100000000000000001>*', '> a\n>\n> - b\n>\n>   *@Ada*'],
    ['# a ```\n<@100000000000000001>\n```', '# a ```\n@Ada\n```'],
    ['1. a\n\n   [b <@100000000000000001>](<https://a.io>)', '1. a\n\n   [b @Ada](<https://a.io>)'],
    ['[a.io <@100000000000000001>](https://b.io)', '[a.io @Ada](https://b.io)'],
    [
      '>>> **||<@100000000000000001>||**\n## <t:1:R> ##',
      '>>> **||@Ada||**\n## 1 January 1970 00:00 UTC ##',
    ],
    ['a < b and <@nobody>', 'a < b and <@nobody>'],
    ['', ''],
  ];
  for (const [content, shown] of cases) {
    it(`shows ${JSON.stringify(content)} as ${JSON.stringify(shown)}`, () => {
      expect(readableText(content, CONTEXT)).to.equal(shown);
    });
  }

  it('is the whole content', () => {
    const content = `${'a'.repeat(5_000)} <@100000000000000001>`;
    expect(readableText(content, CONTEXT)).to.equal(`${'a'.repeat(5_000)} @Ada`);
  });

  it('shows a content that is too long for markdown as it was written', () => {
    const content = '<@100000000000000001>'.padEnd(6_001);
    expect(readableText(content, CONTEXT)).to.equal(content);
  });
});

describe('nameMentions', () => {
  const cases: [text: string, named: string][] = [
    ['**Ask** <@!100000000000000001>', '**Ask** @Ada'],
    ['<@&200000000000000001> in <#300000000000000001>', '@Keepers in #help'],
    ['<@100000000000000001> `<@100000000000000001>`', '@Ada `<@100000000000000001>`'],
    ['<@100000000000000009> <@&9> <#9>', '<@100000000000000009> <@&9> <#9>'],
    [
      '<a:wave:1> <t:1700000000:f> </rules:4> <id:browse>',
      '<a:wave:1> <t:1700000000:f> </rules:4> <id:browse>',
    ],
  ];
  for (const [text, named] of cases) {
    it(`makes ${JSON.stringify(named)} of ${JSON.stringify(text)}`, () => {
      expect(nameMentions(text, CONTEXT)).to.equal(named);
    });
  }

  it('keeps the emoji and the addresses of a name as they are', () => {
    const name = '<:__:1> https://example.org/a_(b)';
    const users = new Map([['100000000000000001', name]]);
    const context = { ...CONTEXT, users };
    const html = renderContent(nameMentions('<@100000000000000001>', context), context);
    expect(html).to.include('src="https://cdn.discordapp.com/emojis/1.webp" alt=":__:"');
    expect(html).to.include('href="https://example.org/a%5F(b)"');
  });

  for (const name of ['https://example.org/||', 'a||b', 'a|||b']) {
    it(`lets ${name} end no spoiler around it`, () => {
      const users = new Map([['100000000000000001', name]]);
      const context = { ...CONTEXT, users };
      const named = nameMentions('||<@100000000000000001> did||', context);
      expect(renderContent(named, context)).to.match(
        /^<p><span class="spoiler"[^]* did<\/span><\/p>$/,
      );
    });
  }

  for (const name of [
    '_ada_',
    '*',
    '[rules](https://example.com)',
    '[[rules]](https://example.com)',
    '# news',
    'snake_case',
  ]) {
    it(`lets no program read markdown in the name ${name}`, () => {
      const context: RenderContext = {
        ...CONTEXT,
        users: new Map([['100000000000000001', name]]),
        targets: new Map([['300000000000000001', { kind: 'thread', name }]]),
      };
      const text = '<@100000000000000001> in\n<#300000000000000001>';
      const html = renderContent(nameMentions(text, context), context);
      const shown = html.replace(/<\/?a\b[^>]*>/g, '');
      // A sign in front of a name is not doubled.
      const plain = name.replace('#', '');
      expect(shown).to.equal(`<p>@${plain} in<br />#${plain}</p>`);
    });
  }
});
