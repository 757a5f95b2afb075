import { expect } from 'chai';
import { buildQuery } from '../../../../services/api/search/buildQuery.js';
import { parseQuery } from '../../../../services/api/search/parseQuery.js';
import type { SearchParams } from '../../../../shared/contract/search.js';
import { searchParams } from '../../../support/searchDocuments.js';

function build(q: string, more: Partial<SearchParams> = {}): string {
  const parsed = parseQuery(q);
  const terms = parsed.terms.map((term) =>
    term.text === 'nodde' ? { ...term, alternatives: ['node'] } : term,
  );
  return JSON.stringify(buildQuery({ ...parsed, terms }, searchParams(q, more)));
}

const FILTERS: [Partial<SearchParams>, string][] = [
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

  it('asks only for the wanted kind', () => {
    for (const minScore of [0, 0.5]) {
      expect(build('node', { type: 'threads', minScore })).to.not.match(/"(content|title)":/);
      expect(build('node', { type: 'messages', minScore })).to.not.match(/stretches|heading/);
    }
  });

  it('forgives typos and takes beginnings of words only below 0.5', () => {
    expect(build('nodde')).to.not.match(/bool_prefix|"query":"node"/);
    const weak = build('nodde', { minScore: 0.49 });
    expect(weak)
      .to.match(/bool_prefix/)
      .and.to.match(/"content":\{"query":"node","analyzer":"inflected","boost":0.5\}/);
  });

  it('takes no phrase, no single letter and no long word for a beginning', () => {
    for (const q of ['"install node"', 'n', 'x'.repeat(21)]) {
      expect(build(q, { minScore: 0 }), q).to.not.match(/bool_prefix/);
    }
    for (const q of ['no', 'x'.repeat(20)]) {
      expect(build(q, { minScore: 0 }), q).to.match(/bool_prefix/);
    }
  });

  it('leaves the choice of similar words to the index', () => {
    expect(build('nodde js', { minScore: 0 })).to.not.match(/fuzz/);
  });

  it('takes only the last word for a beginning', () => {
    const begun = build('first last', { minScore: 0 });
    expect(begun).to.include('{"match_bool_prefix":{"title":{"query":"last"');
    expect(begun).to.not.include('{"match_bool_prefix":{"title":{"query":"first"');
  });

  it('divides the relevance of a match by the words that the index takes from a term', () => {
    const words: [string, number][] = [
      ['再起動', 3],
      ['🇩🇪', 1],
      ['👩‍💻', 1],
      ["don't", 1],
      ["l'avion", 1],
      ['हिन्दी', 1],
    ];
    for (const [q, count] of words) {
      const match = `"stretches.text":{"query":"${q}","analyzer":"inflected","boost":${1 / count}}`;
      expect(build(q), q).to.include(match);
    }
    for (const phrase of ['🎉🔥', '🇩🇪🇫🇷', '👩‍💻👍🏽', '🎉 fire']) {
      const match = `"stretches.text":{"query":"${phrase}","boost":0.5}`;
      expect(build(`"${phrase}"`), phrase).to.include(match);
    }
  });

  it('matches phrases as written only', () => {
    expect(build('"installing nodes"')).to.not.include('inflected');
    expect(build('"installing nodes" well')).to.not.match(/"installing nodes","analyzer"/);
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
