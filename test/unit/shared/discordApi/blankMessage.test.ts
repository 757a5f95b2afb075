import { expect } from 'chai';
import { isBlank } from '../../../../shared/discordApi/blankMessage.js';
import type { LiveMessage } from '../../../../shared/discordApi/answerTypes.js';
import { aLiveMessage } from '../../../support/liveAnswers.js';

const blank = (more: Partial<Record<keyof LiveMessage, unknown>> = {}) =>
  isBlank(aLiveMessage({ content: '', ...more } as Partial<LiveMessage>));

describe('isBlank', () => {
  it('holds for a message that says nothing and would otherwise say something', () => {
    for (const type of [0, 4, 19, 20, 23, 46]) expect(blank({ type }), `${type}`).to.equal(true);
  });

  it('holds whatever the platform tells without the intent: stickers, and that something is forwarded', () => {
    const copy = { content: '', attachments: [], embeds: [], sticker_items: [{}] };
    expect(blank({ sticker_items: [{}] })).to.equal(true);
    expect(blank({ message_snapshots: [{ message: copy }] })).to.equal(true);
    expect(blank({ message_snapshots: [{ message: {} }] })).to.equal(true);
  });

  it('does not hold for a message that shows anything, nor for a notice', () => {
    for (const more of [
      { content: 'x' },
      { attachments: [{}] },
      { embeds: [{}] },
      { components: [{}] },
      { poll: {} },
      { message_snapshots: [{ message: { content: 'x' } }] },
      { message_snapshots: [{ message: { attachments: [{}] } }] },
      { type: 6 },
      { type: 21 },
    ]) {
      expect(blank(more), JSON.stringify(more)).to.equal(false);
    }
  });
});
