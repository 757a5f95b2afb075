import { expect } from 'chai';
import type { AttachmentRecord, MessageRecord } from '../../../../shared/store/records.js';
import { searchableText } from '../../../../services/indexer/views/searchDocuments.js';
import type { LinkTargets } from '../../../../services/indexer/views/threadModel.js';
import { renderContext } from '../../../../services/indexer/views/presentMessage.js';
import { aMessage, anAuthor } from '../../../support/factories.js';

describe('what is searched of a message', () => {
  const textOf = (message: MessageRecord, targets: LinkTargets = new Map()) =>
    searchableText(message, () => renderContext(message, targets, '1'));
  const asWritten = (text: string) => ({ shown: text, written: text });
  const file = (description?: string): AttachmentRecord => ({
    ...{ id: '1', filename: 'a.png', url: 'https://example.com/a.png', contentType: null, size: 1 },
    ...{ width: null, height: null, ...(description !== undefined && { description }) },
  });

  it('is its content, what its files show, and the same of what it forwards', () => {
    const message = aMessage({
      ...{ content: 'Look', attachments: [file('A chart of rain'), file()] },
      forwarded: {
        ...{ content: '', createdAt: null, editedAt: null, embeds: [], stickers: [] },
        attachments: [file('A map')],
      },
    });
    expect(textOf(message)).to.deep.equal(asWritten('Look\nA chart of rain\nA map'));
  });

  it('is nothing of a message without words', () => {
    expect(textOf(aMessage({ content: '', attachments: [file()] }))).to.deep.equal(asWritten(''));
  });

  it('has names in place of ids, in what is forwarded too, and not in code', () => {
    const { id } = anAuthor('ada');
    const message = aMessage({
      ...{ content: `Ask <@${id}> \`open`, mentions: [anAuthor('ada')] },
      forwarded: {
        ...{ content: `<:wave:${id}> <#${id}> \`<@${id}>\``, createdAt: null, editedAt: null },
        ...{ attachments: [file(`<@${id}>`)], embeds: [], stickers: [] },
      },
    });
    const { shown, written } = textOf(message, new Map([[id, { kind: 'channel', name: 'rules' }]]));
    expect(shown).to.equal(`Ask @Ada \`open\n:wave: #rules \`<@${id}>\`\n<@${id}>`);
    expect(written).to.equal(`Ask <@${id}> \`open\n<:wave:${id}> <#${id}> \`<@${id}>\`\n<@${id}>`);
  });

  it('asks for no names where no id can stand', () => {
    const asked = (): never => {
      throw new Error('Names were asked for');
    };
    expect(searchableText(aMessage({ content: 'a > b @Ada' }), asked).shown).to.equal('a > b @Ada');
  });
});
