import { connect } from 'node:net';
import { expect } from 'chai';
import type { IncomingHttpHeaders } from 'node:http';
import { startApi, until, type ApiServer, type Reply } from '../../support/apiServer.js';
import { aThreadItem, storeBody } from '../../support/apiViews.js';
import { stayInMinute } from '../../support/stayInMinute.js';

const PATHS = [
  '/api/threads/71',
  '/api/threads/71/participants',
  '/api/servers',
  '/api/servers/10',
  '/api/servers/10/stats',
  '/api/threads?serverId=10&utm_source=x',
  '/',
  '/openapi.json',
  '/healthz',
  '/readyz',
];
const CLIENTS: Record<string, Record<string, string>> = {
  gzip: { 'Accept-Encoding': 'gzip, br' },
  'no gzip': {},
  'gzip alone': { 'Accept-Encoding': 'gzip, identity;q=0' },
  'a page': { 'Accept-Encoding': 'gzip', Origin: 'https://a.example' },
  'a page of another site': { 'Accept-Encoding': 'gzip', Origin: 'https://c.example' },
};

/** The headers that are the same for every request with the same answer. */
function lasting(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const changing = ['x-request-id', 'date', 'ratelimit', 'x-cache', 'x-cache-ttl', 'connection'];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !changing.includes(name)));
}

async function storeArchive({ stores }: ApiServer): Promise<void> {
  const { collections } = stores.mongo;
  await storeBody(collections, 'thread/71', { id: '71', text: 'long '.repeat(2_000) });
  await storeBody(collections, 'participants/71', { total: 0 });
  await storeBody(collections, 'servers/all', { servers: [] });
  await storeBody(collections, 'server/10', { id: '10', name: 'Ten' });
  await storeBody(collections, 'stats/10', { total: 1, pad: 'x'.repeat(2_000) });
  const items = ['71', '72', '73'].map((threadId) => aThreadItem({ threadId }));
  await collections.threadItems.insertMany(items);
}

for (const origins of ['*', 'https://a.example, https://b.example']) {
  describe(`answers in front of the routes, for pages of ${origins}`, () => {
    let api: ApiServer;
    before(async () => {
      api = await startApi({ env: { CORS_ORIGINS: origins, RATE_LIMIT_DISABLED: 'false' } });
      await storeArchive(api);
    });
    after(() => api.close());

    /**
     * Three answers to the same request: one from the routes, and two from in front of them, the loaded one and the
     * ready one.
     */
    async function answers(path: string, headers: Record<string, string>, method = 'GET') {
      api.cache.clear();
      const loaded = await api.send(method, path, headers);
      // Requests with a credential are answered by the routes. A wrong credential counts as none.
      const routed = await api.send(method, path, { ...headers, 'X-API-Key': 'wrong' });
      // The first answer is loaded. The second one is found and made ready. The third one makes the identity form.
      for (let asked = 0; asked < 3; asked += 1) await api.get(path, headers);
      const ready = await api.send(method, path, headers);
      return { routed, others: { loaded, ready } };
    }

    for (const [client, headers] of Object.entries(CLIENTS)) {
      it(`equal those of the routes, for ${client}`, async () => {
        for (const path of PATHS) {
          const { routed, others } = await answers(path, headers);
          for (const [when, other] of Object.entries(others)) {
            expect(other.status, `${path} ${when}`).to.equal(200);
            expect(lasting(other.headers), path).to.deep.equal(lasting(routed.headers));
            expect(other.body.equals(routed.body), path).to.equal(true);
            expect(other.headers['x-request-id']).not.to.equal(routed.headers['x-request-id']);
          }
        }
      });

      it(`equal those of the routes for HEAD and for conditional requests, for ${client}`, async () => {
        for (const path of PATHS) {
          const head = await answers(path, headers, 'HEAD');
          const { etag } = head.routed.headers;
          const held = await answers(path, { ...headers, 'If-None-Match': `"other", W/${etag}` });
          expect(held.routed.status, path).to.equal(304);
          for (const { routed, others } of [head, held]) {
            for (const other of Object.values(others)) {
              expect(other.status, path).to.equal(routed.status);
              expect(lasting(other.headers), path).to.deep.equal(lasting(routed.headers));
              expect(other.body).to.have.length(0);
            }
          }
        }
      });

      it(`include errors that equal those of the routes, for ${client}`, async () => {
        for (const path of ['/api/threads/404', '/api/threads/x', '/api/threads?limit=0&sort=y']) {
          const { routed, others } = await answers(path, headers);
          expect(routed.status, path).to.be.oneOf([400, 404]);
          for (const other of Object.values(others)) {
            expect(other.status, path).to.equal(routed.status);
            expect(lasting(other.headers), path).to.deep.equal(lasting(routed.headers));
            expect(other.body.equals(routed.body), path).to.equal(true);
          }
        }
      });
    }
  });
}

describe('answers that depend on nothing stored', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('are kept, except for those that tell the state of this moment', async () => {
    for (const path of ['/', '/openapi.json', '/healthz', '/readyz']) {
      for (let asked = 0; asked < 3; asked += 1) await api.get(path);
    }
    expect(api.cache.size.entries).to.equal(2);
    expect(api.cache.traffic).to.deep.equal({ hits: 4, misses: 2 });
  });
});

describe('an answer that is too large to be inflated as a whole', () => {
  it('is the same each time', async () => {
    const api = await startApi();
    try {
      const value = { text: 'x'.repeat(300_000) };
      await storeBody(api.stores.mongo.collections, 'thread/72', value);
      for (let asked = 0; asked < 4; asked += 1) {
        expect((await api.get('/api/threads/72')).json(), `${asked}`).to.deep.equal(value);
      }
    } finally {
      await api.close();
    }
  });
});

describe('a request for an answer that is ready', () => {
  const PATH = '/api/threads/71';
  let api: ApiServer;
  stayInMinute();
  beforeEach(async () => {
    const env = { RATE_LIMIT_DISABLED: 'false', RATE_LIMIT_READS: '20', TRUST_PROXY: '1' };
    api = await startApi({ env });
    await storeArchive(api);
    for (let asked = 0; asked < 4; asked += 1) await ask();
  });
  afterEach(() => api.close());

  let reader = 0;
  const ask = (headers: Record<string, string> = {}, path = PATH): Promise<Reply> =>
    api.get(path, { 'X-Forwarded-For': `203.0.113.${reader}`, ...headers });
  beforeEach(() => (reader += 1));

  it('keeps its id, and is logged in one line like every other', async () => {
    const reply = await ask({ 'X-Request-Id': 'mine-1' });
    expect(reply.headers['x-request-id']).to.equal('mine-1');
    const strange = await ask({ 'X-Request-Id': '"}<script>' });
    expect(strange.headers['x-request-id']).to.match(/^[\w-]{36}$/);
    const lines = () => api.log.filter(({ requestId }) => requestId === 'mine-1');
    await until(() => lines().length > 0);
    const { time, ms, pid, hostname, ...line } = lines()[0]!;
    expect([typeof time, typeof ms, typeof pid, typeof hostname]).to.deep.equal([
      'number',
      'number',
      'number',
      'string',
    ]);
    expect(line).to.deep.equal({
      level: 30,
      name: 'api',
      requestId: 'mine-1',
      method: 'GET',
      route: '/api/threads/:threadId',
      status: 200,
      bytes: reply.body.length,
      caller: null,
      msg: 'Request',
    });
  });

  it('counts under the limit of its address, and is refused beyond it', async () => {
    const left = async () => {
      const { status, headers } = await ask();
      return [status, /r=(\d+)/.exec(String(headers.ratelimit))?.[1], headers['ratelimit-policy']];
    };
    const [, before] = await left();
    expect(await left()).to.deep.equal([200, String(Number(before) - 1), '"reads";q=20;w=60']);
    await until(async () => (await ask()).status === 429);
    const refused = await ask();
    expect(refused.headers).to.have.property('retry-after');
    expect(refused.json()).to.include({ code: 'RATE_LIMITED' });
  });

  it('is refused without a Host, with two, and with a wrong method, as without a ready answer', async () => {
    expect((await ask({ Host: 'a.example' })).status).to.equal(200);
    for (const hosts of ['Host: a.example\r\nhost: b.example\r\n', '']) {
      const answer = await sendRaw(api.url, `GET ${PATH} HTTP/1.1\r\n${hosts}`);
      expect(answer, hosts).to.match(/^HTTP\/1\.1 400 /);
    }
    expect((await api.send('POST', PATH)).status).to.equal(405);
  });

  it('gets the new answer once a change of the old one was announced', async () => {
    await storeBody(api.stores.mongo.collections, 'thread/71', { id: '71', version: 2 });
    await api.announce({ threads: [{ threadId: '71', serverId: '10', channelId: '100' }] });
    // There are no limits here, so the test may ask often.
    await until(() => api.cache.size.entries === 0);
    expect((await ask()).json()).to.deep.equal({ id: '71', version: 2 });
  });

  it('is measured like every other', async () => {
    await ask();
    const line =
      'forum_archive_http_request_duration_seconds_count{operation="getThread",status="200"}';
    await until(async () => {
      const { body } = await api.get('/metrics');
      return body.toString().includes(`${line} 5`);
    });
  });
});

/** The answer of a server to the beginning of a request, sent unchanged, on a connection that it is asked to close. */
function sendRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${request}Connection: close\r\n\r\n`),
    );
    socket.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    socket.on('error', reject).on('close', () => resolve(text));
  });
}
