import { expect } from 'chai';
import {
  searchResponseSchema,
  suggestResponseSchema,
  type SearchResponse,
} from '../../../../shared/contract/search.js';
import type { ErrorBody } from '../../../../shared/contract/errors.js';
import { ensureSearchIndex, searchIndexName } from '../../../../shared/store/searchIndex.js';
import { startApi, type ApiServer } from '../../../support/apiServer.js';
import { aThread, storeDocuments } from '../../../support/searchDocuments.js';

describe('GET /api/search and /api/suggest', () => {
  let api: ApiServer;

  before(async () => {
    api = await startApi();
    const { elasticsearch, mongo } = api.stores;
    await ensureSearchIndex(elasticsearch, mongo.namespace);
    await storeDocuments(elasticsearch, mongo.namespace, [
      ...aThread({
        title: 'Mending sails & nets',
        messages: ['needle and twine', 'a long needle'],
      }),
    ]);
  });
  after(async () => {
    const { elasticsearch, mongo } = api.stores;
    await elasticsearch.indices.delete({
      index: searchIndexName(mongo.namespace, 1),
      ignore_unavailable: true,
    });
    await api.close();
  });

  const search = async (query: string) => {
    const reply = await api.get(`/api/search?${query}`);
    return { status: reply.status, body: reply.json() as SearchResponse & ErrorBody };
  };

  it('answers in its shape, with plus signs as spaces', async () => {
    const { status, body } = await search('q=needle+twine&utm_source=x');
    expect(status).to.equal(200);
    expect(searchResponseSchema.validate(body).error).to.equal(undefined);
    expect(body).to.include({ query: 'needle twine', total: 2, threadCount: 1, messageCount: 1 });
  });

  it('takes a long query in any script', async () => {
    for (const q of ['é'.repeat(512), '😀'.repeat(512), 'ก'.repeat(300), '字'.repeat(300)]) {
      expect((await search(`q=${encodeURIComponent(q)}`)).status, q).to.equal(200);
    }
  });

  it('answers a page beyond the last with nothing but the counts', async () => {
    const { body } = await search('q=needle&offset=50');
    expect(body).to.deep.include({ total: 3, results: { threads: [], messages: [] } });
  });

  const REFUSED: [query: string, path: string][] = [
    ['', 'q'],
    ['q=%20', 'q'],
    [`q=${'x'.repeat(513)}`, 'q'],
    [`q=${encodeURIComponent('😀'.repeat(513))}`, 'q'],
    ['q=a&q=b', 'q'],
    ['q=a&limit=0', 'limit'],
    ['q=a&offset=9981', 'offset'],
    ['q=a&type=people', 'type'],
    ['q=a&status=archived', 'status'],
    ['q=a&before=2024-13-01', 'before'],
  ];
  for (const [query, path] of REFUSED) {
    it(`refuses ${query.slice(0, 40) || 'no query'}, naming ${path}`, async () => {
      const { status, body } = await search(query);
      expect(status).to.equal(400);
      expect(body.code).to.equal('VALIDATION_ERROR');
      expect(body.details?.map((detail) => detail.path)).to.include(path);
    });
  }

  it('completes titles', async () => {
    const reply = await api.get('/api/suggest?q=mending%20sa');
    expect(reply.status).to.equal(200);
    const body = reply.json() as { suggestions: { title: string }[] };
    expect(suggestResponseSchema.validate(body).error).to.equal(undefined);
    expect(body.suggestions.map(({ title }) => title)).to.deep.equal(['Mending sails & nets']);
    const elsewhere = await api.get('/api/suggest?q=mending%20sa&serverId=404');
    expect(elsewhere.json()).to.deep.include({ suggestions: [] });
  });

  it('answers 503 with Retry-After while there is no index, and everything else still answers', async () => {
    const { elasticsearch, mongo } = api.stores;
    await elasticsearch.indices.delete({ index: searchIndexName(mongo.namespace, 1) });
    const reply = await api.get('/api/search?q=needle');
    expect(reply.status).to.equal(503);
    expect(reply.headers['retry-after']).to.equal('5');
    expect(reply.json()).to.include({ code: 'UNAVAILABLE' });
    expect((await api.get('/api/threads')).status).to.equal(200);
  });
});
