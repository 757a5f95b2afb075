import { expect } from 'chai';
import { presentMessage } from '../../../../services/indexer/views/presentMessage.js';
import { createServiceLinks } from '../../../../services/indexer/views/serviceLinks.js';
import { messageSchema } from '../../../../shared/contract/threads.js';
import { aForwardedCopy, aMessage, anAuthor, anEmbed } from '../../../support/factories.js';

describe('presentMessage', () => {
  const files = createServiceLinks({ publicUrl: 'https://archive.example', cdnUrl: null });
  const ada = anAuthor('ada');
  const targets = new Map([['12', { kind: 'channel' as const, name: 'rules' }]]);
  const around = { targets, guildId: '1', writers: new Map<string, string>() };

  it('writes names in place of ids into embeds, also into forwarded ones', () => {
    const at = new Date('2026-01-01T00:00:00Z');
    const embed = anEmbed({
      title: `For <@${ada.id}>`,
      description: '**bold** <#12> <:wave:1>',
      timestamp: at,
      fields: [{ name: `<@${ada.id}>`, value: `<@&7> and <@!${ada.id}>`, inline: true }],
    });
    const forwarded = aForwardedCopy({ embeds: [embed] });
    const mentioning = { mentions: [ada], mentionedRoles: [{ id: '7', name: 'Keepers' }] };
    const message = aMessage({ ...mentioning, embeds: [embed], forwarded });
    const shown = presentMessage(message, { ...around, files });
    const named = {
      ...embed,
      title: 'For @Ada',
      description: '**bold** #rules <:wave:1>',
      timestamp: at.toISOString(),
      fields: [{ name: '@Ada', value: '@Keepers and @Ada', inline: true }],
    };
    expect(shown.embeds).to.deep.equal([named]);
    expect(shown.forwarded!.embeds).to.deep.equal([named]);
  });

  it('writes names into no more embeds than the platform allows', () => {
    const long = anAuthor('ada', { displayName: 'a'.repeat(200) });
    const value = `<@${long.id}>`.repeat(200);
    const fields = Array.from({ length: 25 }, () => ({ name: '', value, inline: false }));
    const message = aMessage({ mentions: [long], embeds: [anEmbed({ fields })] });
    const [embed] = presentMessage(message, { ...around, files }).embeds;
    expect(embed!.fields[0]!.value).to.equal(`@${'a'.repeat(200)}`.repeat(200));
    expect(embed!.fields.at(-1)!.value).to.equal(value);
  });

  it('shows names only as long as a message grows by 65,536 characters', () => {
    const name = 'a'.repeat(200);
    const content = '<@1>'.repeat(1_500);
    const message = aMessage({
      content,
      mentions: [anAuthor('ada', { id: '1', displayName: name })],
      embeds: [anEmbed({ description: content })],
      forwarded: aForwardedCopy({ content }),
    });
    const shown = presentMessage(message, { ...around, files });
    const named = Math.floor(65_536 / name.length);
    const mentions = (text: string) => text.match(/@[a-z-]+/g);
    expect(mentions(shown.contentHtml)).to.deep.equal(
      Array.from({ length: 1_500 }, (_, n) => (n < named ? `@${name}` : '@unknown-user')),
    );
    expect(shown.embeds[0]!.description).to.equal(content);
    expect(mentions(shown.forwarded!.contentHtml)).to.deep.equal(
      new Array(1_500).fill('@unknown-user'),
    );
  });

  it('shows every name of a message that is as long as the platform allows', () => {
    const role = { id: '700000000000000001', name: 'r'.repeat(100) };
    const mention = `<@&${role.id}>`;
    const text = (most: number) => mention.repeat(Math.floor(most / mention.length));
    const fields = [{ name: '', value: text(6_000), inline: false }];
    const message = aMessage({
      content: text(4_000),
      mentionedRoles: [role],
      embeds: [anEmbed({ fields })],
    });
    const shown = presentMessage(message, { ...around, files });
    const named = (ofText: string) => ofText.replaceAll(mention, `@${role.name}`);
    expect(shown.embeds[0]!.fields[0]!.value).to.equal(named(text(6_000)));
    expect(shown.contentHtml.replace(/<[^>]*>/g, '')).to.equal(named(text(4_000)));
  });

  it('shows sizes as an export tells them, even fractions of pixels', () => {
    const picture = { url: 'https://example.org/a.png', width: 3.75, height: 2.5 };
    const attachment = {
      id: '1',
      filename: 'a.png',
      url: 'https://example.org/a.png',
      size: 7,
      contentType: 'image/png',
      width: 100.5,
      height: 0,
    };
    const embeds = [anEmbed({ thumbnail: picture, images: [picture], video: picture })];
    const message = aMessage({ attachments: [attachment], embeds });
    const shown = presentMessage(message, { ...around, files });
    expect(messageSchema.validate(shown, { convert: false }).error).to.equal(undefined);
  });

  it('shows no size for one of 0, which earlier versions recorded where an export told none', () => {
    const picture = { url: 'https://example.org/a.png', width: 0, height: 0 };
    const unknown = { ...picture, width: null, height: null };
    const embed = anEmbed({ thumbnail: picture, images: [picture], video: picture });
    const forwarded = aForwardedCopy({ embeds: [embed] });
    const message = aMessage({ embeds: [embed], forwarded });
    const shown = presentMessage(message, { ...around, files });
    const unsized = { ...embed, thumbnail: unknown, images: [unknown], video: unknown };
    expect(shown.embeds).to.deep.equal([unsized]);
    expect(shown.forwarded!.embeds).to.deep.equal([unsized]);
  });
});
