import type { Client } from '@elastic/elasticsearch';
import { expect } from 'chai';
import type { SearchParams } from '../../../../shared/contract/search.js';
import { commonWords, MANY_MATCHES } from '../../../../services/api/search/commonWords.js';
import { parseQuery } from '../../../../services/api/search/parseQuery.js';
import { searchArchive } from '../../../support/searchArchive.js';
import { Turns } from '../../../../services/api/turns.js';
import { randomOf } from '../../../support/generateRecords.js';
import { aThread, searchParams, searchSuite, UNLIMITED } from '../../../support/searchDocuments.js';
import { patientElasticsearch } from '../../../support/patientElasticsearch.js';

const WORDS = ['anchor', 'anchors', 'chain', 'rust', 'rusty', 'storm'] as const;

describe('search: asked in steps', () => {
  const fixture = searchSuite();
  let elasticsearch: Client;

  before(async () => {
    const random = randomOf(3);
    const words = (count: number) => Array.from({ length: count }, () => random.pick(WORDS));
    const threads = Array.from({ length: 60 }, () =>
      aThread({
        title: words(1 + random.below(4)).join(' '),
        messages: [words(6).join(' '), words(3).join(' ')],
        serverId: random.pick(['1', '2']),
      }),
    );
    await fixture.store(threads.flat());
    // Another client has another memory of common words.
    elasticsearch = patientElasticsearch();
    commonWords(elasticsearch).learn(parseQuery(WORDS.join(' ')), MANY_MATCHES);
  });
  after(() => elasticsearch.close());

  const both = async (q: string, more: Partial<SearchParams> = {}) => {
    const one = await fixture.search(q, more);
    const { namespace } = fixture;
    const deps = { elasticsearch, namespace, turns: new Turns() };
    const stepped = await searchArchive(deps, searchParams(q, more), UNLIMITED);
    expect(stepped, `${q} ${JSON.stringify(more)}`).to.deep.equal(one);
    return one;
  };

  it('finds the same, page after page, among the titles and beyond', async () => {
    for (const q of ['anchor', 'rust chain', 'anchor rusty storm', 'Anchor storm']) {
      const { total } = await both(q);
      expect(total).to.be.above(20);
      for (let offset = 0; offset < total; offset += 7) await both(q, { offset, limit: 7 });
    }
  });

  it('finds the same for one server, for one kind, and with other minimum scores', async () => {
    for (const more of [
      { serverId: '1' },
      { type: 'threads' },
      { type: 'messages' },
      { minScore: 0 },
      { minScore: 0.85 },
    ] as const) {
      await both('anchor', more);
      await both('chain rust', { ...more, limit: 5, offset: 3 });
    }
  });
});
