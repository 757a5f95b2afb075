import { expect } from 'chai';
import { isBlank } from '../../../../services/indexer/sync/contentIntent.js';
import type { LiveMessage } from '../../../../shared/discordApi/answerTypes.js';
import { aLiveMessage } from '../../../support/liveAnswers.js';

const blank = (more: Partial<Record<keyof LiveMessage, unknown>> = {}) =>
  isBlank(aLiveMessage({ content: '', ...more } as Partial<LiveMessage>));

describe('isBlank', () => {
  it('holds for a message or a reply that says nothing at all', () => {
    expect(blank()).to.equal(true);
    expect(blank({ type: 19 })).to.equal(true);
  });

  it('does not hold for a message that shows anything, nor for a notice', () => {
    for (const more of [
      { content: 'x' },
      { attachments: [{}] },
      { embeds: [{}] },
      { components: [{}] },
      { sticker_items: [{}] },
      { poll: {} },
      { message_snapshots: [{}] },
      { type: 6 },
    ]) {
      expect(blank(more), JSON.stringify(more)).to.equal(false);
    }
  });
});
