import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { operations } from '../../../shared/contract/operations.js';
import { createApiKey } from '../../../shared/store/apiKeys.js';
import { startApi, type ApiServer } from '../../support/apiServer.js';
import { aThreadItem } from '../../support/apiViews.js';

describe('bad requests', () => {
  let api: ApiServer;
  let reader: { 'X-API-Key': string };
  before(async () => {
    api = await startApi();
    const { collections } = api.stores.mongo;
    const level = { name: 'reader', level: 'read', expiresAt: null } as const;
    reader = { 'X-API-Key': (await createApiKey(collections, level)).key };
    // Its tag looks like a part of a filter.
    await collections.threadItems.insertOne(aThreadItem({ threadId: '5', tags: ['all/'] }));
  });
  after(() => api.close());

  it('answers unknown paths with 404', async () => {
    for (const path of [
      '/nope',
      '/api',
      '/api/threads/1/2',
      '/API/threads',
      '//api/threads',
      '/%00',
    ]) {
      const reply = await api.get(path);
      expect(reply.status, path).to.equal(404);
      expect(reply.json(), path).to.deep.equal({ error: 'No such path', code: 'NOT_FOUND' });
    }
  });

  const methodsByPath = new Map<string, string[]>();
  for (const { method, paths } of Object.values(operations)) {
    const methods = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
    for (const path of paths) {
      methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), ...methods]);
    }
  }
  for (const [path, methods] of methodsByPath) {
    it(`answers ${path} with 405 to other methods`, async () => {
      const allow = [...methods, 'OPTIONS'].sort().join(', ');
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (methods.includes(method)) continue;
        const reply = await api.send(method, path.replace(/:\w+/, '1'), reader);
        expect(reply.status, method).to.equal(405);
        expect(reply.json()).to.include({ code: 'METHOD_NOT_ALLOWED' });
        expect(reply.headers.allow).to.equal(allow);
      }
      const options = await api.send('OPTIONS', path.replace(/:\w+/, '1'));
      expect(options.status).to.equal(204);
      expect(options.headers.allow).to.equal(allow);
    });
  }

  it('names every problem of a query', async () => {
    const reply = await api.get('/api/threads?limit=101&sort=best&status=archived&tag=&tag=x');
    expect(reply.status).to.equal(400);
    const { code, details } = reply.json() as { code: string; details: { path: string }[] };
    expect(code).to.equal('VALIDATION_ERROR');
    const named = details.map(({ path }) => path);
    expect(named).to.have.members(['limit', 'sort', 'status', 'tag']);
  });

  for (const [path, known] of [
    ['/api/threads', 'tag'],
    ['/leaderboard/1', 'type'],
    ['/api/search', 'q'],
    ['/api/suggest', 'q'],
  ] as const) {
    it(`refuses malformed requests at ${path}`, async () => {
      for (const query of [
        'limit=0',
        'q=%zz',
        'q=%ff',
        `x=${'y'.repeat(8_193)}`,
        'cursor=nonsense',
        'cursor=%00',
        'q=',
        'q=a&q=b&limit=1&limit=2',
      ]) {
        const reply = await api.get(`${path}?${query}`);
        const taken = path === '/leaderboard/1' ? [400, 404] : [400, 200];
        expect(taken, `${query}: ${reply.body.toString()}`).to.include(reply.status);
        if (reply.status === 400) expect(reply.json()).to.include({ code: 'VALIDATION_ERROR' });
      }
      expect((await api.get(`${path}?${known}=%zz`)).status).to.equal(400);
      const ignored = await api.get(`${path}?${known}=messages&utm_source=%zz`);
      expect(ignored.status, 'of an unknown parameter').to.not.equal(400);
      expect((await api.get(`${path}?x=${'y'.repeat(8_193)}`)).status).to.equal(400);
    });
  }

  it('finds nothing, and does not fail, for impossible ids and tags', async () => {
    const empty = { threads: [], nextCursor: null, hasMore: false };
    for (const query of [
      'serverId=abc',
      'serverId=10%2Fall%2F',
      'serverId=*',
      `serverId=${'1'.repeat(21)}`,
      'channelId=%00',
      'channelId=__proto__',
      'channelId=100%2Fopen',
      'channelId=100&serverId=x',
      'channelId=100&serverId=11',
      'serverId=10&channelId=101',
      'tag=%00',
      'tag=constructor',
      'tag[$ne]=x&tag=%24ne',
      'serverId[$gt]=&serverId=99',
    ]) {
      const reply = await api.get(`/api/threads?${query}`);
      expect(reply.status, query).to.equal(200);
      expect(reply.json(), query).to.deep.equal(empty);
    }
    const found = await api.get('/api/threads?channelId=100&serverId=10&utm_source=x&utm_source=y');
    expect((found.json() as { threads: unknown[] }).threads).to.have.length(1);
  });

  it('ignores unknown parameters and the order of parameters in cache keys', async () => {
    await api.get('/api/threads?limit=3&serverId=10');
    const { entries } = api.cache.size;
    for (const query of [
      'serverId=10&limit=3',
      'limit=3&serverId=10&utm_source=a',
      'limit=3&status=all&serverId=10&sort=latest&__proto__=x',
    ]) {
      await api.get(`/api/threads?${query}`);
    }
    expect(api.cache.size.entries).to.equal(entries);
  });

  it('answers bytes that are no HTTP in the error shape, and goes on', async () => {
    const long = `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(20_000)}\r\n\r\n`;
    for (const text of [
      'GET /api/threads HTTP/1.1\r\nConnection: close\r\n\r\n',
      'GET /api/threads HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n',
      'GET /api/threads HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n',
      `GET /api/threads HTTP/1.1\r\nHost: x\r\n${'A:\r\n'.repeat(1_100)}Host: y\r\nConnection: close\r\n\r\n`,
      'POST /admin/sync HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nContent-Length: 2\r\n\r\n{}',
      'nonsense\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n',
      long,
    ]) {
      const reply = await raw(api.url, text);
      expect(reply, text.slice(0, 30)).to.match(/^HTTP\/1\.1 4\d\d /);
      expect(reply).to.contain('"code":"VALIDATION_ERROR"');
      expect(reply).to.match(/^Content-Type: application\/json; charset=utf-8\r$/m);
      expect(reply).to.match(/^X-Content-Type-Options: nosniff\r$/m);
    }
    const tooLong = await raw(api.url, long);
    expect(tooLong).to.match(/^HTTP\/1\.1 431 Request Header Fields Too Large\r$/m);
    expect(tooLong).to.contain('must be at most 16 kB long');
    const unencoded = 'GET /api/search?q=gr\u00fcn HTTP/1.1\r\nHost: x\r\n\r\n';
    expect(await raw(api.url, unencoded)).to.match(/^HTTP\/1\.1 400 [^]*must be percent-encoded/);
    for (const text of [
      'GET /api/threads?a=1#b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'GET http://other.example/api/threads HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'GET /api/threads HTTP/1.0\r\n\r\n',
      'GET /api/threads HTTP/1.1\r\nHost: x\r\nFrom: bot@x.example\r\nConnection: close\r\n\r\n',
      'GET /api/threads HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello',
    ]) {
      expect(await raw(api.url, text), text).to.match(/^HTTP\/1\.1 200 /);
    }
    expect((await api.get('/healthz')).status).to.equal(200);
  });

  it('closes the connection of a request whose body nobody reads', async () => {
    const preflight = 'Origin: https://x.example\r\nAccess-Control-Request-Method: GET\r\n';
    for (const start of [
      `OPTIONS /healthz HTTP/1.1\r\n${preflight}`,
      'OPTIONS /healthz HTTP/1.1\r\n',
      'GET /healthz HTTP/1.1\r\n',
      'POST /healthz HTTP/1.1\r\n',
    ]) {
      // It resolves when the connection is closed.
      const reply = await raw(api.url, `${start}Host: x\r\nContent-Length: 2\r\n\r\nx`);
      expect(reply, start).to.match(/^Connection: close\r$/m);
    }
  });

  it('lets a client read the refusal of a body that it goes on sending', async () => {
    const rest = Buffer.alloc(8 << 20);
    for (const [header, status] of [
      ['X-API-Key: wrong', 403],
      // One more than is allowed, with the two others. Node 24 refuses more than that by itself, and closes at once.
      [Array<string>(199).fill('A:').join('\r\n'), 431],
    ] as const) {
      const head = `Host: x\r\nContent-Length: ${rest.length + 1}\r\n${header}`;
      const client = await refused(api.url, `POST /admin/import HTTP/1.1\r\n${head}\r\n\r\nx`);
      expect(client.answer).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      // Rejects where the connection is reset.
      await client.sendRest(rest);
    }
  });

  it('handles no request behind a body that it has refused', async () => {
    const head = 'Host: x\r\nContent-Length: 2\r\nX-API-Key: wrong';
    const client = await refused(api.url, `POST /admin/sync HTTP/1.1\r\n${head}\r\n\r\nx`);
    const requestId = 'behind-a-refusal';
    await client.sendRest(
      `yGET /healthz HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${requestId}\r\n\r\n`,
    );
    expect((await api.get('/healthz')).status).to.equal(200);
    expect(api.log.filter((line) => line['requestId'] === requestId)).to.deep.equal([]);
  });

  it('refuses URLs that cannot be parsed, and logs no error', async () => {
    const ask = (target: string) =>
      raw(api.url, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    for (const target of ['http://[x/', 'http://?limit=1', '//a@[x#b']) {
      const reply = await ask(target);
      expect(reply, target).to.match(/^HTTP\/1\.1 400 /);
      expect(reply, target).to.contain('"code":"VALIDATION_ERROR"');
    }
    // Node 24 accepts such a host, and Node 20 does not.
    for (const target of ['http://xn--0/', 'http://xn--0/api/threads?limit=1']) {
      expect(await ask(target), target).to.match(/^HTTP\/1\.1 (200|400) /);
    }
    expect(api.log.filter(({ level }) => Number(level) >= 50)).to.deep.equal([]);
  });
});

/** Sends text over a connection, and resolves with all that comes back. */
function raw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.on('data', (piece) => pieces.push(piece));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(pieces).toString()));
  });
}

/** Sends a part of a request, and resolves once the API has answered it and sends no more. */
async function refused(
  url: string,
  part: string,
): Promise<{ answer: string; sendRest: (rest: string | Buffer) => Promise<void> }> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let answer = '';
  socket.on('data', (piece) => (answer += String(piece)));
  socket.write(part);
  await once(socket, 'end');
  const sendRest = async (rest: string | Buffer): Promise<void> => {
    socket.end(rest);
    await once(socket, 'close');
  };
  return { answer, sendRest };
}
