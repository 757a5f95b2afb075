import { expect } from 'chai';
import type { Asker } from '../../../../services/api/asker.js';
import { formOf } from '../../../../services/api/http/forms.js';
import { keepAnswers, searchDependsOn } from '../../../../services/api/search/keepAnswers.js';
import { searchArchive } from '../../../../services/api/search/searchArchive.js';
import { Turns } from '../../../../services/api/turns.js';
import type { SearchResponse, SuggestResponse } from '../../../../shared/contract/search.js';
import {
  documentIdOf,
  ensureSearchIndex,
  searchAlias,
  searchIndexName,
  type SearchDocument,
} from '../../../../shared/store/searchIndex.js';
import { startApi, until, type ApiServer, type Reply } from '../../../support/apiServer.js';
import { PATIENCE_MS } from '../../../support/searchArchive.js';
import {
  aThread,
  searchParams,
  storeDocuments,
  UNLIMITED,
} from '../../../support/searchDocuments.js';

/** Starts an API on a search index of its own that holds one thread. */
async function startWithThread(thread: SearchDocument[]): Promise<ApiServer> {
  const api = await startApi();
  const { elasticsearch, mongo } = api.stores;
  await ensureSearchIndex(elasticsearch, mongo.namespace);
  await storeDocuments(elasticsearch, mongo.namespace, thread);
  return api;
}

async function stop(api: ApiServer): Promise<void> {
  const { elasticsearch, mongo } = api.stores;
  const index = searchIndexName(mongo.namespace, 1);
  await elasticsearch.indices.delete({ index, ignore_unavailable: true });
  await api.close();
}

async function deleteThread({ stores }: ApiServer, thread: SearchDocument[]): Promise<void> {
  const { elasticsearch, mongo } = stores;
  const index = searchAlias(mongo.namespace);
  for (const document of thread) {
    await elasticsearch.delete({ index, id: documentIdOf(document), refresh: true });
  }
}

/** How many searches of the archive's index Elasticsearch has answered. */
async function searchesOf({ stores }: ApiServer): Promise<number> {
  const { elasticsearch, mongo } = stores;
  const index = searchAlias(mongo.namespace);
  const { _all: all } = await elasticsearch.indices.stats({ index, metric: 'search' });
  return all.primaries?.search?.query_total ?? 0;
}

/** Asks for an answer, and returns what the cache did. */
async function ask(api: ApiServer, path: string, headers: Record<string, string>) {
  const reply = await api.get(path, headers);
  const found = reply.status === 200 ? reply.json() : undefined;
  return { ...reply, found, cache: reply.headers['x-cache'] };
}

describe('kept answers of searches', () => {
  let api: ApiServer;
  const thread = aThread({ title: 'Mending sails', messages: ['needle and twine'] });

  before(async () => {
    api = await startWithThread(thread);
  });
  after(() => stop(api));

  const search = async (query: string, headers: Record<string, string> = {}) => {
    const reply = await ask(api, `/api/search?${query}`, headers);
    return { ...reply, found: reply.found as SearchResponse | undefined };
  };
  /** Asks until the answer is kept. An answer that is asked for soon after a change is not kept for long. */
  const untilKept = (query: string) => until(async () => (await search(query)).cache === 'HIT');

  it('are a MISS, then a HIT, for the same question in any form', async () => {
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

  it('are not sent again to a client that has them', async () => {
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

  it('are kept where nothing is found, unless another asker may get more', async () => {
    const q = 'zzzz yyyy xxxx';
    await untilKept(new URLSearchParams({ q }).toString());
    const { elasticsearch, mongo } = api.stores;
    const turns = new Turns();
    const deps = { elasticsearch, namespace: mongo.namespace, turns, furtherMs: PATIENCE_MS };
    const search = (asker: Asker) => searchArchive(deps, searchParams(q), asker);
    expect((await search(UNLIMITED)).isWhole).to.equal(true);
    expect((await search({ ...UNLIMITED, affords: () => false })).isWhole).to.equal(false);
    const busy = { ...deps, turns: new Turns({ inAll: 0, waitMs: 5 }) };
    expect((await searchArchive(busy, searchParams(q), UNLIMITED)).isWhole).to.equal(false);
    const keep = keepAnswers(() => searchArchive(busy, searchParams(q), UNLIMITED));
    const given = { query: searchParams(q), asker: UNLIMITED } as Parameters<typeof keep>[0];
    const less = await keep(given);
    expect(less.cached?.expiresAt).to.equal(0);
    const gzip = { headers: { 'accept-encoding': 'gzip' } };
    expect((await formOf(gzip, less)).headers).to.include('no-store');
  });

  it('are kept only until Elasticsearch surely shows a change, which takes it a second', () => {
    expect(searchDependsOn().settlesMs).to.be.above(1_000);
  });

  it('tell how long they are kept, soon after a change too', async () => {
    const secondsLeft = ({ headers }: Reply) => Number(headers['x-cache-ttl']);
    await until(async () => {
      const kept = await search('q=twine&limit=3');
      return kept.cache === 'HIT' && secondsLeft(kept) > 2;
    });
    await until(async () => {
      const began = performance.now();
      await api.announce({});
      const reply = await search('q=twine&limit=3');
      // An answer that was looked for later than this is kept as usual.
      const isSoon = performance.now() - began < searchDependsOn().settlesMs!;
      if (reply.cache === 'HIT' || !isSoon) return false;
      expect(secondsLeft(reply)).to.be.within(0, 2);
      return true;
    });
  });

  it('are dropped when anything has changed, so that deleted content is not found', async () => {
    await untilKept('q=twine');
    expect((await search('q=twine')).found?.total).to.be.above(0);
    await deleteThread(api, thread);
    await api.announce({});
    await until(async () => (await search('q=twine')).found?.total === 0);
  });
});

describe('kept answers of completions', () => {
  let api: ApiServer;
  const thread = aThread({ title: 'Mending sails', messages: ['needle and twine'] });

  before(async () => {
    api = await startWithThread(thread);
  });
  after(() => stop(api));

  const suggest = async (query: string, headers: Record<string, string> = {}) => {
    const reply = await ask(api, `/api/suggest?${query}`, headers);
    return { ...reply, found: reply.found as SuggestResponse | undefined };
  };
  const untilKept = (query: string) => until(async () => (await suggest(query)).cache === 'HIT');

  it('are a MISS, then a HIT, for the same beginning', async () => {
    const first = await suggest('q=mend');
    expect(first.cache).to.equal('MISS');
    expect(first.found?.suggestions).to.have.length(1);
    await until(async () => {
      const again = await suggest('utm_source=x&q=mend');
      expect(again.found).to.deep.equal(first.found);
      expect(Number(again.headers['x-cache-ttl'])).to.be.within(1, 60);
      return again.cache === 'HIT';
    });
    expect((await suggest('q=mendi')).cache).to.equal('MISS');
  });

  it('are kept where nothing is found, since every asker gets the same', async () => {
    await untilKept('q=zzzz');
    expect((await suggest('q=zzzz')).found?.suggestions).to.deep.equal([]);
  });

  it('are not sent again to a client that has them', async () => {
    await untilKept('q=mend');
    const { headers } = await suggest('q=mend');
    const held = await suggest('q=mend', { 'If-None-Match': String(headers.etag) });
    expect(held.status).to.equal(304);
    expect(held.headers).to.have.property('x-cache');
  });

  it('are loaded once for all who ask at once', async () => {
    const before = await searchesOf(api);
    const replies = await Promise.all(Array.from({ length: 50 }, () => suggest('q=mending+s')));
    expect(new Set(replies.map(({ body }) => body.toString())).size).to.equal(1);
    // Soon after a change, the first answer is not kept for long. Then a second load may follow.
    expect((await searchesOf(api)) - before).to.be.within(1, 2);
  });

  it('are dropped when anything has changed, so that deleted titles are not offered', async () => {
    await untilKept('q=mend');
    await deleteThread(api, thread);
    await api.announce({});
    await until(async () => (await suggest('q=mend')).found?.suggestions.length === 0);
  });
});
