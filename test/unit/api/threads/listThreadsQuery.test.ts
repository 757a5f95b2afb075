import { expect } from 'chai';
import { createCursors } from '../../../../services/api/paging/cursors.js';
import {
  listCursor,
  listQuestion,
  listThreadsQuery,
} from '../../../../services/api/threads/listThreadsQuery.js';
import { AppError } from '../../../../shared/contract/errors.js';
import type { ThreadListQuery } from '../../../../shared/contract/threads.js';

const cursors = createCursors('a secret');
const KEY = '00000000000000000042';
const query = (more: Partial<ThreadListQuery> = {}): ThreadListQuery => ({
  status: 'all',
  sort: 'latest',
  limit: 20,
  ...more,
});

describe('listThreadsQuery', () => {
  it('scans one token, and reads one row more than the page', () => {
    expect(
      listThreadsQuery(query({ serverId: '5', tag: 'C++', status: 'open' }), cursors),
    ).to.deep.include({
      filter: { scopes: 's5/open/c++', latestKey: { $gte: '' } },
      sort: { latestKey: -1 },
      hint: 'scopes_latestKey',
      limit: 21,
    });
  });

  it('goes on behind the key of its cursor, in the direction of the sort', () => {
    for (const [sort, bound] of [
      ['latest', { latestKey: { $lt: KEY } }],
      ['oldest', { latestKey: { $gt: KEY } }],
      ['unanswered', { unansweredKey: { $gt: KEY } }],
    ] as const) {
      const cursor = listCursor(query({ sort }), KEY, cursors);
      expect(listThreadsQuery(query({ sort, cursor }), cursors).filter).to.deep.include(bound);
    }
  });

  it('accepts a cursor with another limit, or with the tag in another spelling', () => {
    const cursor = listCursor(query({ tag: 'Help' }), KEY, cursors);
    listThreadsQuery(query({ tag: 'HELP', limit: 3, cursor }), cursors);
  });

  it('refuses a cursor of any other sort or filter', () => {
    const cursor = listCursor(query({ serverId: '5', tag: 'help' }), KEY, cursors);
    for (const other of [
      query({ cursor, tag: 'help' }),
      query({ cursor, serverId: '5' }),
      query({ cursor, serverId: '6', tag: 'help' }),
      query({ cursor, channelId: '5', tag: 'help' }),
      query({ cursor, serverId: '5', tag: 'help', status: 'open' }),
      query({ cursor, serverId: '5', tag: 'help', sort: 'oldest' }),
    ]) {
      expect(() => listThreadsQuery(other, cursors)).to.throw(AppError);
    }
  });

  it('is the same question for every page', () => {
    const first = listQuestion(query({ tag: 'ﬁx' }));
    expect(first).to.deep.equal(listQuestion(query({ tag: 'FIX', limit: 1, cursor: 'x' })));
  });
});
