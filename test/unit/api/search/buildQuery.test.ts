import { expect } from 'chai';
import { buildQuery } from '../../../../services/api/search/buildQuery.js';
import { parseQuery } from '../../../../services/api/search/parseQuery.js';
import type { SearchParams } from '../../../../shared/contract/search.js';
import { searchParams } from '../../../support/searchDocuments.js';

function build(q: string, more: Partial<SearchParams> = {}): string {
  return JSON.stringify(buildQuery(parseQuery(q), searchParams(q, more)));
}

const FILTERS: [Partial<SearchParams>, string][] = [
  [{ type: 'threads' }, '{"term":{"kind":"thread"}}'],
  [{ type: 'messages' }, '{"term":{"kind":"message"}}'],
  [{ serverId: '1' }, '{"term":{"serverId":"1"}}'],
  [{ channelId: '2' }, '{"term":{"channelId":"2"}}'],
  [{ tag: ' SOLVED' }, '{"term":{"tagKeys":"solved"}}'],
  [{ status: 'locked' }, '{"term":{"status":"locked"}}'],
  [{ authorId: '3' }, '{"term":{"authorId":"3"}}'],
  [{ hasAttachment: false }, '{"term":{"hasAttachment":false}}'],
  [
    { after: '2024-01-01T00:00:00.000Z', before: '2024-01-02T00:00:00.000Z' },
    '{"range":{"createdAt":{"format":"epoch_millis","gte":1704067200000,"lt":1704153600000}}}',
  ],
];

describe('buildQuery', () => {
  for (const [params, clause] of FILTERS) {
    it(`filters by ${Object.keys(params).join(' and ')}`, () => {
      expect(build('node', params)).to.include(clause);
      const other = build('node').split(clause).length;
      expect(build('node', params).split(clause).length).to.be.above(other);
    });
  }

  it('forgives typos and takes beginnings of words only below 0.5', () => {
    expect(build('node')).to.not.match(/fuzziness|bool_prefix/);
    expect(build('node', { minScore: 0.49 }))
      .to.match(/fuzziness/)
      .and.match(/bool_prefix/);
  });

  it('never forgives within a phrase', () => {
    expect(build('"install node"', { minScore: 0 })).to.not.match(/fuzziness|bool_prefix/);
  });

  it('takes only the last word for a beginning', () => {
    const begun = build('first last', { minScore: 0 });
    expect(begun).to.include('{"match_bool_prefix":{"title":{"query":"last"');
    expect(begun).to.not.include('{"match_bool_prefix":{"title":{"query":"first"');
  });

  it('matches phrases as written only', () => {
    expect(build('"installing nodes"')).to.not.match(
      /"match_phrase":\{"[a-z]+\.stem":\{"query":"installing nodes"/,
    );
  });

  it('never puts what was typed into a script, a field name or a query language', () => {
    const typed = 'zzqq';
    const query = build(`${typed}:* ${typed} "x ${typed}"`, { minScore: 0 });
    expect(query).to.not.match(/query_string|wildcard|regexp/);
    for (const [, source] of query.matchAll(/"source":"([^"]*)"/g)) {
      expect(source).to.not.include(typed);
    }
    expect(query).to.not.match(new RegExp(`"[^"]*${typed}[^"]*":`));
  });
});
