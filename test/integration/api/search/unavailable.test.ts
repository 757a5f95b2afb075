import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { searchArchive } from '../../../support/searchArchive.js';
import { Turns } from '../../../../services/api/turns.js';
import { suggestTitles } from '../../../../services/api/search/suggestTitles.js';
import { AppError } from '../../../../shared/contract/errors.js';
import { createElasticsearch } from '../../../../shared/platform/createElasticsearch.js';
import { readSettings } from '../../../../shared/platform/env.js';
import { searchParams, UNLIMITED } from '../../../support/searchDocuments.js';

async function problemOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/**
 * Asks the address for a search and a completion. Both must be refused as unavailable, although the client would wait
 * an hour.
 */
async function expectUnavailable(url: string): Promise<void> {
  const elasticsearch = createElasticsearch({ ELASTICSEARCH_URL: url }, { timeoutMs: 3_600_000 });
  const deps = { elasticsearch, namespace: 'test-nothing-here', turns: new Turns() };
  const problems = await Promise.all([
    problemOf(searchArchive(deps, searchParams('anchor'), UNLIMITED)),
    problemOf(suggestTitles(deps, { q: 'anchor' }, UNLIMITED)),
  ]);
  for (const problem of problems) {
    expect(problem).to.be.instanceOf(AppError).and.include({ code: 'UNAVAILABLE', status: 503 });
    expect((problem as AppError).headers).to.deep.equal({ 'Retry-After': '5' });
    expect((problem as AppError).message).to.not.match(/elastic|127|http/i);
  }
  await elasticsearch.close();
}

describe('search: answers 503', () => {
  let server: Server | undefined;

  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
  });

  const listen = async (listener: RequestListener): Promise<string> => {
    server = createServer(listener);
    await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it('when nothing listens', async () => {
    const url = await listen(() => undefined);
    server!.close();
    await expectUnavailable(url);
  });

  it('when no answer comes', async () => {
    await expectUnavailable(await listen(() => undefined));
  });

  it('when the answer is cut', async () => {
    await expectUnavailable(
      await listen((_, response) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('{"hits"');
        response.destroy();
      }),
    );
  });

  for (const status of [401, 403, 429, 500, 502, 503]) {
    it(`when the answer is ${status}, after one try`, async () => {
      const asked: string[] = [];
      await expectUnavailable(
        await listen(({ url = '' }, response) => {
          if (url.includes('_search')) asked.push(url);
          const headers = {
            'content-type': 'application/json',
            'x-elastic-product': 'Elasticsearch',
          };
          response.writeHead(status, headers).end('{"error":{"type":"busy"}}');
        }),
      );
      // One for the search, and one for the completion.
      expect(asked).to.have.length(2);
    });
  }

  it('while there is no index', async () => {
    await expectUnavailable(readSettings().ELASTICSEARCH_URL);
  });
});
