import { expect } from 'chai';
import type { SearchResponse } from '../../../../shared/contract/search.js';
import {
  documentIdOf,
  ensureSearchIndex,
  searchAlias,
  searchIndexName,
} from '../../../../shared/store/searchIndex.js';
import { startApi, until, type ApiServer } from '../../../support/apiServer.js';
import { aThread, storeDocuments } from '../../../support/searchDocuments.js';

describe('kept answers of searches', () => {
  let api: ApiServer;
  const thread = aThread({ title: 'Mending sails', messages: ['needle and twine'] });

  before(async () => {
    api = await startApi();
    const { elasticsearch, mongo } = api.stores;
    await ensureSearchIndex(elasticsearch, mongo.namespace);
    await storeDocuments(elasticsearch, mongo.namespace, thread);
  });
  after(async () => {
    const { elasticsearch, mongo } = api.stores;
    await elasticsearch.indices.delete({
      index: searchIndexName(mongo.namespace, 1),
      ignore_unavailable: true,
    });
    await api.close();
  });

  const search = async (query: string, headers: Record<string, string> = {}) => {
    const reply = await api.get(`/api/search?${query}`, headers);
    const found = reply.status === 200 ? (reply.json() as SearchResponse) : undefined;
    return { ...reply, found, cache: reply.headers['x-cache'] };
  };
  /** Asks until the answer was kept. One that was asked for soon after a change is not kept for long. */
  const untilKept = (query: string) => until(async () => (await search(query)).cache === 'HIT');

  it('are a MISS, then a HIT, for the same question in whatever form', async () => {
    const first = await search('q=needle');
    expect(first.cache).to.equal('MISS');
    await until(async () => {
      const again = await search('limit=20&type=all&utm_source=x&q=needle');
      expect(again.found).to.deep.equal(first.found);
      expect(Number(again.headers['x-cache-ttl'])).to.be.within(1, 60);
      return again.cache === 'HIT';
    });
    expect((await search('q=needle&limit=19')).cache).to.equal('MISS');
  });

  it('are not sent to whoever holds them', async () => {
    await untilKept('q=twine');
    const { headers } = await search('q=twine');
    const held = await search('q=twine', { 'If-None-Match': String(headers.etag) });
    expect(held.status).to.equal(304);
    expect(held.headers).to.have.property('x-cache');
  });

  it('are loaded once for all who ask at once', async () => {
    const { misses } = api.cache.traffic;
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => search('q=mending+sails&limit=7')),
    );
    const texts = new Set(replies.map(({ body }) => body.toString()));
    expect(texts.size).to.equal(1);
    expect(api.cache.traffic.misses - misses).to.be.within(1, 50);
  });

  it('are not kept where nothing is found: another asker may get a suggestion', async () => {
    for (let asked = 0; asked < 3; asked += 1) {
      const { cache, found } = await search('q=zzzz+yyyy+xxxx+wwww+vvvv+uuuu+tttt+ssss+rrrr');
      expect(found?.total).to.equal(0);
      expect(cache).to.equal('MISS');
    }
  });

  it('are dropped when anything changed, so that what was deleted is not found', async () => {
    await untilKept('q=twine');
    expect((await search('q=twine')).found?.total).to.be.above(0);
    const { elasticsearch, mongo } = api.stores;
    const index = searchAlias(mongo.namespace);
    for (const document of thread) {
      await elasticsearch.delete({ index, id: documentIdOf(document), refresh: true });
    }
    await api.announce({});
    await until(async () => (await search('q=twine')).found?.total === 0);
  });
});
