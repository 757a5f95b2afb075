import { expect } from 'chai';
import { hollowThread } from '../../../../services/indexer/records/tombstones.js';
import { ERASED_ID } from '../../../../shared/store/redacted.js';
import { aThread } from '../../../support/factories.js';

describe('hollowThread', () => {
  const thread = aThread({ ownerId: '100000000000000001', locked: true, appliedTags: ['1'] });
  const { _id, serverId, channelId } = thread;
  const bare = { _id, serverId, channelId, title: 'thread', stamps: {}, asOf: 0 };

  it('keeps nothing that a source said of the thread, nor who started it', () => {
    expect(hollowThread(thread)).to.deep.equal(bare);
  });

  it('keeps that its author was erased, and which titles were', () => {
    const erased = { ownerId: ERASED_ID, redactedTitles: ['hash'] };
    expect(hollowThread({ ...thread, ...erased })).to.deep.equal({ ...bare, ...erased });
  });
});
