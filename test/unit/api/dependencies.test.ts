import { expect } from 'chai';
import { changedTags, parseAnnouncement, tags } from '../../../services/api/dependencies.js';

describe('changedTags', () => {
  it('includes the pages of everywhere, of the server and of the channel', () => {
    const changed = changedTags({
      threads: [{ threadId: '1', serverId: '2', channelId: '3' }],
      servers: [],
      users: [],
      similar: [],
    });
    expect(changed).to.have.members(['searches', 'thread:1', 'list:*', 'list:s2', 'list:c3']);
    expect(changed).to.include(tags.list({}));
    expect(changed).to.include(tags.list({ serverId: '2' }));
    expect(changed).to.include(tags.list({ serverId: '2', channelId: '3' }));
  });

  it('includes everything that depends on a server, a user and similar threads', () => {
    const changed = changedTags({ threads: [], servers: ['2'], users: ['4'], similar: ['5'] });
    expect(changed).to.have.members(['searches', 'server:2', 'servers', 'user:4', 'similar:5']);
  });

  it('includes everything that depends on a server whose statistics must not be shown any more', () => {
    const nothing = { threads: [], servers: [], users: [], similar: [] };
    const changed = changedTags({ ...nothing, statistics: ['2'] });
    expect(changed).to.have.members(['searches', 'server:2', 'servers']);
  });
});

const ODD = '{"threads":[],"servers":[],"users":[],"similar":1}';
const ODD_STATISTICS = '{"threads":[],"servers":[],"users":[],"statistics":1}';

describe('parseAnnouncement', () => {
  it('refuses a text that is no announcement', () => {
    const partial = '{"threads":[],"servers":[]}';
    for (const text of ['', 'null', '{}', '[]', partial, '"x"', ODD, ODD_STATISTICS]) {
      expect(() => parseAnnouncement(text), text).to.throw();
    }
  });
});
