import { expect } from 'chai';
import type { AttachmentRecord, MessageRecord } from '../../../../shared/store/records.js';
import { searchableText } from '../../../../services/indexer/views/searchDocuments.js';
import type { LinkTargets } from '../../../../services/indexer/content/resolveReferences.js';
import { renderContext } from '../../../../services/indexer/views/presentMessage.js';
import { aMessage, anAuthor, anEmbed } from '../../../support/factories.js';

describe('what is searched of a message', () => {
  const textOf = (message: MessageRecord, targets: LinkTargets = new Map()) =>
    searchableText(message, () =>
      renderContext(message, { targets, guildId: '1', writers: new Map() }),
    );
  const asWritten = (text: string) => ({ shown: text, written: text });
  const file = (description?: string): AttachmentRecord => ({
    id: '1',
    filename: 'a.png',
    url: 'https://example.com/a.png',
    contentType: null,
    size: 1,
    width: null,
    height: null,
    ...(description !== undefined && { description }),
  });

  it('is its content, the descriptions of its files, and the same of its forwarded copy', () => {
    const message = aMessage({
      content: 'Look',
      attachments: [file('A chart of rain'), file()],
      forwarded: {
        content: '',
        createdAt: null,
        editedAt: null,
        embeds: [],
        stickers: [],
        attachments: [file('A map')],
      },
    });
    expect(textOf(message)).to.deep.equal(asWritten('Look\nA chart of rain\nA map'));
  });

  it('includes no more descriptions of files than a platform allows', () => {
    const attachments = Array.from({ length: 12 }, () => file('x'.repeat(1_024)));
    const text = attachments.slice(0, 10).map(({ description }) => description);
    expect(textOf(aMessage({ content: '', attachments }))).to.deep.equal(
      asWritten(text.join('\n')),
    );
  });

  it('has names only as long as it grows by 65,536 characters', () => {
    const name = 'a'.repeat(200);
    const fields = Array.from({ length: 100 }, () => ({
      name: '',
      value: '<@1>'.repeat(15),
      inline: true,
    }));
    const message = aMessage({
      content: '',
      mentions: [anAuthor('ada', { id: '1', displayName: name })],
      embeds: [anEmbed({ fields })],
    });
    const named = Math.floor(65_536 / name.length);
    expect(textOf(message).shown.replaceAll('\n', '')).to.equal(
      `@${name}`.repeat(named) + '@unknown-user'.repeat(1_500 - named),
    );
  });

  it('is nothing of a message without words', () => {
    expect(textOf(aMessage({ content: '', attachments: [file()] }))).to.deep.equal(asWritten(''));
  });

  it('is the texts of its embeds where it has no content, and the same of its forwarded copy', () => {
    const fields = [{ name: 'Also', value: 'More', inline: true }];
    const embeds = [anEmbed({ title: 'Release', fields }), anEmbed({ description: 'Notes' })];
    const bare = { content: '', createdAt: null, editedAt: null, attachments: [], stickers: [] };
    const message = aMessage({
      content: '',
      embeds,
      attachments: [file('A map')],
      forwarded: { ...bare, embeds: [anEmbed({ title: 'Forwarded' })] },
    });
    const text = 'Release\nAlso\nMore\nNotes\nA map\nForwarded';
    expect(textOf(message)).to.deep.equal(asWritten(text));
    const linking = { ...message, content: 'Look', forwarded: { ...bare, content: 'x', embeds } };
    expect(textOf(linking)).to.deep.equal(asWritten('Look\nA map\nx'));
  });

  it('includes no more of embeds than the platform allows', () => {
    const lengths = [3_000, 2_999, 2, 1];
    const embeds = lengths.map((length) => anEmbed({ description: 'x'.repeat(length) }));
    const { shown } = textOf(aMessage({ content: '', embeds }));
    expect(shown.split('\n').map(({ length }) => length)).to.deep.equal([3_000, 2_999]);
  });

  it('has names in place of ids, also in forwarded copies, but not in code', () => {
    const { id } = anAuthor('ada');
    const message = aMessage({
      content: `Ask <@${id}> \`open`,
      mentions: [anAuthor('ada')],
      forwarded: {
        content: `<:wave:${id}> <#${id}> \`<@${id}>\``,
        createdAt: null,
        editedAt: null,
        attachments: [file(`<@${id}>`)],
        embeds: [],
        stickers: [],
      },
    });
    const { shown, written } = textOf(message, new Map([[id, { kind: 'channel', name: 'rules' }]]));
    expect(shown).to.equal(`Ask @Ada \`open\n:wave: #rules \`<@${id}>\`\n<@${id}>`);
    expect(written).to.equal(`Ask <@${id}> \`open\n<:wave:${id}> <#${id}> \`<@${id}>\`\n<@${id}>`);
  });

  it('looks up no names where there can be no id', () => {
    const asked = (): never => {
      throw new Error('Names were asked for');
    };
    expect(searchableText(aMessage({ content: 'a > b @Ada' }), asked).shown).to.equal('a > b @Ada');
  });
});
