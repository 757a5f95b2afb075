import { expect } from 'chai';
import type { AttachmentRecord } from '../../../../shared/store/records.js';
import { searchableText } from '../../../../services/indexer/views/searchDocuments.js';
import { aMessage } from '../../../support/factories.js';

describe('what is searched of a message', () => {
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
    expect(searchableText(message)).to.equal('Look\nA chart of rain\nA map');
  });

  it('is nothing of a message without words', () => {
    expect(searchableText(aMessage({ content: '', attachments: [file()] }))).to.equal('');
  });
});
