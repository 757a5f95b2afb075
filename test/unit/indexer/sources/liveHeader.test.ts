import { expect } from 'chai';
import { checkGuild, checkThreadList } from '../../../../shared/discordApi/answers.js';
import { liveServer, liveThread } from '../../../../services/indexer/sources/liveHeader.js';
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
});
