import { expect } from 'chai';
import { collectReferences } from '../../../../services/indexer/content/collectReferences.js';
import { MAX_MARKUP_LENGTH } from '../../../../services/indexer/content/prepareText.js';

describe('collectReferences', () => {
  const cases: [content: string, ids: string[]][] = [
    ['no reference <3', []],
    ['<@11> <@&11> <:e:12> <t:13> </c:14>', []],
    ['<#21>', ['21']],
    ['<#21> and <#22> <#21>', ['21', '22']],
    ['`<#11>` ```\n<#21>\n```', []],
    ['\\<#21>', []],
    ['**||<#21>||**', ['21']],
    ['- a\n  - <#21>\n> <#22>', ['21', '22']],
    ['https://discord.com/channels/1/21/31', ['21']],
    ['[a](https://PTB.discord.com/channels/1/21)', ['21']],
    ['<https://discordapp.com/channels/1/21>', ['21']],
    ['https://discord.com/channels/1/2/threads/21', ['21']],
    ['https://discord.com/channels/1/@home/threads/21/31', ['21']],
    ['https://discord.com/channels/1/2/threads/', []],
    ['https://evil.org/channels/1/21', []],
    [`<#21>${'x'.repeat(MAX_MARKUP_LENGTH)}`, []],
  ];
  for (const [content, ids] of cases) {
    it(`of ${JSON.stringify(content.slice(0, 60))}`, () => {
      expect(collectReferences(content)).to.deep.equal(ids);
    });
  }

  it('stops at 100', () => {
    const content = Array.from({ length: 150 }, (_, i) => `<#${2000 + i}>`).join(' ');
    expect(collectReferences(content)).to.have.length(100).and.include('2099');
  });
});
