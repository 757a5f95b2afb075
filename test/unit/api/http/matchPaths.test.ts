import { expect } from 'chai';
import { pathMatcher } from '../../../../services/api/http/matchPaths.js';
import { route } from '../../../../services/api/http/route.js';
import { operations } from '../../../../shared/contract/operations.js';

const NEVER = () => Promise.reject(new Error('Nobody asks'));

describe('pathMatcher', () => {
  const { getIndex, getOpenApi, listThreads, getThread, listParticipants, getUser } = operations;
  const match = pathMatcher([
    route(getIndex, NEVER),
    route(getOpenApi, NEVER),
    route(listThreads, NEVER),
    route(getThread, NEVER),
    route(listParticipants, NEVER),
    route(getUser, NEVER),
  ]);
  const found = (url: string) => {
    const matched = match(url);
    return matched && [matched.route.operation.operationId, matched.path, matched.params];
  };

  it('finds what a path names, and its parameters', () => {
    expect(found('/api/threads')).to.deep.equal(['listThreads', '/api/threads', {}]);
    expect(found('/')).to.deep.equal(['getIndex', '/', {}]);
    expect(found('/?a=b')).to.deep.equal(['getIndex', '/', {}]);
    expect(found('/openapi.json')).to.deep.equal(['getOpenApi', '/openapi.json', {}]);
    const params = { threadId: '12' };
    expect(found('/api/threads/12')).to.deep.equal(['getThread', '/api/threads/:threadId', params]);
    expect(found('/api/threads/12/participants?')).to.deep.equal([
      'listParticipants',
      '/api/threads/:threadId/participants',
      params,
    ]);
    for (const path of getUser.paths) {
      const userId = 'a-B_9';
      const url = path.replace(':userId', userId);
      expect(found(url), path).to.deep.equal(['getUser', path, { userId }]);
    }
  });

  it('gives the query as it was sent', () => {
    const queries = { '': '', '?': '', '?a=%C3%A9&b=+?': 'a=%C3%A9&b=+?' };
    for (const [sent, expected] of Object.entries(queries)) {
      expect(match(`/api/threads${sent}`)?.queryString, sent).to.equal(expected);
    }
    expect(match(`/api/threads?${'x'.repeat(2_048)}`)?.queryString).to.have.length(2_048);
  });

  for (const url of [
    '',
    '*',
    '/?a#b',
    '/.',
    '/api',
    '/api/thread',
    '/api/threads/',
    '/api//threads',
    '/api/threads/1/',
    '/api/threads/1/other',
    '/api/threads/%31',
    '/API/threads',
    '/openapi.json/',
    '//x',
    'http://x.example/api/threads',
    '/api/threads#a',
    '/api/threads?a#b',
    '/api/threads?a\u00e9',
    '/api/threads/__proto__/toString',
    '/toString',
    `/api/threads?${'x'.repeat(2_049)}`,
  ]) {
    it(`leaves ${url.slice(0, 40)} to the router`, () => {
      expect(match(url)).to.equal(undefined);
    });
  }
});
