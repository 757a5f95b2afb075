import { expect } from 'chai';
import type { SearchResponse } from '../../../shared/contract/search.js';
import { startArchive, type TestArchive } from '../../support/archive.js';
import { evaluate, readJudgements, type Report } from '../../relevance/judgements.js';

/** The lowest allowed results for each kind of query, slightly below those of today. */
const LEAST = {
  title: { recall: 1, reciprocalRank: 1, ndcg: 1 },
  error: { recall: 0.95, reciprocalRank: 0.95, ndcg: 0.95 },
  identifier: { recall: 0.95, reciprocalRank: 0.95, ndcg: 0.95 },
  paraphrase: { recall: 0.85, reciprocalRank: 0.8, ndcg: 0.8 },
  typo: { recall: 0.9, reciprocalRank: 0.85, ndcg: 0.85 },
  phrase: { recall: 1, reciprocalRank: 0.95, ndcg: 0.95 },
  language: { recall: 1, reciprocalRank: 0.95, ndcg: 0.95 },
  all: { recall: 0.95, reciprocalRank: 0.93, ndcg: 0.93 },
};

describe('relevance over the sample archive', () => {
  let archive: TestArchive;
  let report: Report;

  before(async function () {
    archive = await startArchive();
    const imported = await archive.cli('import', 'sample', '--wait');
    expect(imported.code, imported.stderr).to.equal(0);
    const judgements = readJudgements('test/relevance/judgements.json');
    expect(judgements.length).to.be.at.least(60);
    report = await evaluate(judgements, async ({ q, minScore }) => {
      const least = minScore === undefined ? '' : `&minScore=${minScore}`;
      const path = `/api/search?q=${encodeURIComponent(q)}&type=threads&limit=10${least}`;
      const { results } = await archive.json<SearchResponse>(path);
      return results.threads.map(({ id }) => id);
    });
  });
  after(() => archive.close());

  for (const [kind, least] of Object.entries(LEAST)) {
    it(`answers ${kind === 'all' ? 'the queries in all' : `${kind} queries`} well`, () => {
      const scores = report.kinds.get(kind)!;
      for (const [name, value] of Object.entries(least)) {
        const shown = `${name}; not first: ${report.notFirst.join(' | ')}`;
        expect(scores[name as keyof typeof least], shown).to.be.at.least(value);
      }
    });
  }

  it('judges every kind of query', () => {
    expect([...report.kinds.keys()]).to.have.members(Object.keys(LEAST));
  });
});
