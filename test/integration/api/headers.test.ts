import { expect } from 'chai';
import { startApi, until, type ApiServer } from '../../support/apiServer.js';

describe('headers of every response', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi();
  });
  after(() => api.close());

  it('name the version, the request, and what a browser may not do', async () => {
    for (const path of ['/', '/api/servers', '/nope', '/%zz', '/api/threads?limit=0']) {
      const { headers } = await api.get(path);
      expect(headers['api-version'], path).to.equal('1');
      expect(headers['x-request-id'], path).to.match(/^[\w-]{36}$/);
      expect(headers['x-content-type-options'], path).to.equal('nosniff');
      expect(headers['content-security-policy'], path).to.contain("default-src 'none'");
      expect(headers['access-control-allow-origin'], path).to.equal('*');
      expect(headers.vary, path).to.equal('Accept-Encoding');
      expect(headers['content-type'], path).to.equal('application/json; charset=utf-8');
    }
  });

  it("take the caller's request id where it has a valid form", async () => {
    const id = 'trace-1.2_3';
    expect((await api.get('/', { 'X-Request-Id': id })).headers['x-request-id']).to.equal(id);
    for (const bad of ['a b', 'x'.repeat(65), '<script>', '"', 'é']) {
      const { headers } = await api.get('/', { 'X-Request-Id': bad });
      expect(headers['x-request-id']).to.match(/^[\w-]{36}$/);
    }
  });

  it('go with one log line for each request, by route and not by address', async () => {
    const { headers } = await api.get('/api/threads/123456?tag=secret');
    const lines = () => api.log.filter((line) => line['requestId'] === headers['x-request-id']);
    await until(() => lines().length > 0);
    expect(lines()).to.have.length(1);
    expect(lines()[0]).to.include({ method: 'GET', route: '/api/threads/:threadId', status: 404 });
    expect(lines()[0]?.['bytes']).to.equal(Number(headers['content-length']));
    expect(lines()[0]?.['ms']).to.be.a('number');
    expect(JSON.stringify(lines())).not.to.contain('secret');
  });
});

describe('CORS', () => {
  let api: ApiServer;
  before(async () => {
    api = await startApi({ env: { CORS_ORIGINS: 'https://a.example, https://b.example' } });
  });
  after(() => api.close());

  it('lets pages of the named origins read, telling caches that origins differ', async () => {
    const allowed = await api.get('/api/servers', { Origin: 'https://b.example' });
    expect(allowed.headers['access-control-allow-origin']).to.equal('https://b.example');
    const exposed = String(allowed.headers['access-control-expose-headers']).split(', ');
    const files = ['Accept-Ranges', 'Content-Range', 'ETag', 'X-Cache', 'X-Cache-TTL'];
    const limits = ['RateLimit', 'RateLimit-Policy', 'Retry-After', 'WWW-Authenticate'];
    const all = ['API-Version', 'X-Request-Id', ...files, ...limits];
    expect(exposed).to.have.members(all);
    expect(allowed.headers.vary).to.equal('Origin, Accept-Encoding');
    // A browser would send the password of the queue dashboard along.
    expect(allowed.headers).not.to.have.property('access-control-allow-credentials');
    const alike = ['not-b.example', 'x.b.example', 'b.example:81', 'b-example', 'a.example.evil'];
    const others = [...alike.map((host) => `https://${host}`), 'http://b.example'];
    for (const origin of ['https://c.example', 'null', '', 'https://', ...others]) {
      const refused = await api.get('/api/servers', origin ? { Origin: origin } : {});
      expect(refused.status).to.equal(200);
      expect(refused.headers, origin).not.to.have.property('access-control-allow-origin');
      expect(refused.headers.vary).to.match(/Origin/);
    }
  });

  it('answers preflights', async () => {
    const reply = await api.send('OPTIONS', '/api/threads', {
      Origin: 'https://a.example',
      'Access-Control-Request-Method': 'GET',
      'Access-Control-Request-Headers': 'if-none-match',
    });
    expect(reply.status).to.equal(204);
    expect(reply.headers).to.include({
      'access-control-allow-origin': 'https://a.example',
      'access-control-allow-methods': 'GET, HEAD, POST, DELETE, OPTIONS',
      'access-control-max-age': '86400',
    });
    expect(reply.headers).not.to.have.property('access-control-allow-credentials');
    const allowed = String(reply.headers['access-control-allow-headers']).split(', ');
    const conditions = ['If-None-Match', 'If-Range', 'Range'];
    const body = ['Content-Encoding', 'Content-Type'];
    const all = ['Authorization', 'X-API-Key', 'X-Request-Id', ...conditions, ...body];
    expect(allowed).to.have.members(all);
  });

  it('answers other requests as ever, also with the headers of a preflight', async () => {
    const [named, other] = [{ Origin: 'https://a.example' }, { Origin: 'https://c.example' }];
    const preflight = { 'Access-Control-Request-Method': 'GET' };
    for (const headers of [named, { ...other, ...preflight }]) {
      const options = await api.send('OPTIONS', '/api/threads', headers);
      expect([options.status, options.headers.allow]).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
      expect(options.headers).not.to.have.property('access-control-allow-methods');
    }
    const read = await api.get('/api/servers', { ...named, ...preflight, 'X-API-Key': 'unknown' });
    expect([read.status, read.json()]).to.deep.equal([200, { servers: [] }]);
  });
});
