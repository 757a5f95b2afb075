import { expect } from 'chai';
import { batches } from '../../../../shared/platform/batches.js';
import { MESSAGE_BATCH } from '../../../../shared/store/messageBatch.js';
import type { MessageRecord } from '../../../../shared/store/records.js';
import { aForward, aMessage, anEmbed } from '../../../support/factories.js';

describe('MESSAGE_BATCH', () => {
  it('ends a batch where its messages hold much text, wherever that stands in them', async () => {
    const text = 'x'.repeat(MESSAGE_BATCH.weight);
    const file = {
      id: '1',
      filename: 'a.png',
      url: '',
      contentType: null,
      size: 0,
      width: 1,
      height: 1,
    };
    const said = { _id: '1', threadId: '1', content: text };
    const long: Partial<MessageRecord>[] = [
      { content: text },
      { attachments: [{ ...file, description: text }] },
      { embeds: [anEmbed({ fields: [{ name: '', value: text, inline: false }] })] },
      { embeds: [anEmbed({ author: { name: text, url: null, iconUrl: null } })] },
      {
        reactions: [
          { emoji: { id: null, name: '👍', animated: false }, count: 1, userIds: [text] },
        ],
      },
      { mentions: [{ id: '1', username: 'ada', displayName: text, isBot: false }] },
      { forwarded: aForward(said).forwarded },
    ];
    for (const fields of long) {
      const sizes: number[] = [];
      for await (const { length } of batches([aMessage(fields), aMessage(fields)], MESSAGE_BATCH)) {
        sizes.push(length);
      }
      expect(sizes, Object.keys(fields).join()).to.deep.equal([1, 1]);
    }
  });
});
