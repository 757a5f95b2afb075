import { expect } from 'chai';
import { checkGuild, checkThreadList } from '../../../../shared/discordApi/answers.js';
import {
  liveChannel,
  liveServer,
  liveThread,
} from '../../../../services/indexer/sources/liveHeader.js';
import { anId } from '../../../support/factories.js';
import { aLiveThread } from '../../../support/liveAnswers.js';

/** A guild in the form of the platform's answer. */
function aGuild(more: object) {
  return checkGuild({ id: anId(), name: 'Garden', roles: [], ...more });
}

describe('what the platform tells around messages', () => {
  it('counts the members of a server where it tells how many there are', () => {
    expect(liveServer(aGuild({ approximate_member_count: 7 }))).to.include({ memberCount: 7 });
    for (const more of [{}, { approximate_member_count: null }]) {
      expect(liveServer(aGuild(more)), JSON.stringify(more)).not.to.have.property('memberCount');
    }
  });

  it('may tell of threads in no channel, and not when one was archived', () => {
    const orphan = aLiveThread({ parent_id: null });
    const { parent_id: _parentId, ...withoutParent } = aLiveThread();
    const archived = aLiveThread({ thread_metadata: { archived: true, archive_timestamp: null } });
    const threads = [orphan, withoutParent, archived];
    expect(checkThreadList({ threads, has_more: false }).threads).to.deep.equal(threads);
    const told = liveThread({ ...archived, parent_id: anId() }, anId());
    expect(told).to.include({ archived: true, archivedAt: null });
  });

  it('tells the emoji of a tag where it can be seen', () => {
    const emojiOf = (emoji: object): string | null | undefined => {
      const tag = { id: anId(), name: 'bug', ...emoji };
      const forum = { id: anId(), type: 15, name: 'help', available_tags: [tag] };
      const emojis = [
        { id: '7', name: null },
        { id: '8', name: 'meshcore' },
      ];
      return liveChannel(forum, { id: anId(), emojis }, null).availableTags?.[0]?.emoji;
    };
    expect(emojiOf({ emoji_name: ' 🐛\0 ' })).to.equal('🐛');
    expect(emojiOf({ emoji_id: '8', emoji_name: null })).to.equal('meshcore');
    for (const unknown of ['7', '9']) expect(emojiOf({ emoji_id: unknown })).to.equal(null);
    for (const none of [{}, { emoji_name: null }, { emoji_name: '' }, { emoji_name: '\u3164' }]) {
      expect(emojiOf(none), JSON.stringify(none)).to.equal(null);
    }
  });
});
