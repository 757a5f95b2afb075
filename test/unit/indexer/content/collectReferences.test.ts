import { expect } from 'chai';
import { collectReferences } from '../../../../services/indexer/content/collectReferences.js';
import { MAX_MARKUP_LENGTH } from '../../../../services/indexer/content/prepareText.js';

describe('collectReferences', () => {
  const cases: [content: string, userIds: string[], channelIds: string[]][] = [
    ['no reference <3', [], []],
    ['<@11> and <@!12>', ['11', '12'], []],
    ['<@11> <@11>', ['11'], []],
    ['<@&11> <:e:12> <t:13> </c:14>', [], []],
    ['<#21>', [], ['21']],
    ['`<@11>` ```\n<#21>\n```', [], []],
    ['\\<@11>', [], []],
    ['**||<@11>||**', ['11'], []],
    ['- a\n  - <@11>\n> <#21>', ['11'], ['21']],
    ['https://discord.com/channels/1/21/31', [], ['21']],
    ['[a](https://PTB.discord.com/channels/1/21)', [], ['21']],
    ['<https://discordapp.com/channels/1/21>', [], ['21']],
    ['https://evil.org/channels/1/21', [], []],
    [`<@11>${'x'.repeat(MAX_MARKUP_LENGTH)}`, [], []],
  ];
  for (const [content, userIds, channelIds] of cases) {
    it(`of ${JSON.stringify(content.slice(0, 60))}`, () => {
      expect(collectReferences(content)).to.deep.equal({ userIds, channelIds });
    });
  }

  it('stops at 100 of a kind', () => {
    const content = Array.from({ length: 150 }, (_, i) => `<@${1000 + i}><#${2000 + i}>`).join(' ');
    const { userIds, channelIds } = collectReferences(content);
    expect(userIds).to.have.length(100).and.include('1099');
    expect(channelIds).to.have.length(100).and.not.include('2100');
  });
});
