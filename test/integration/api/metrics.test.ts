import { expect } from 'chai';
import { exchange, startApi, until, untilEqual, type ApiServer } from '../../support/apiServer.js';
import { storeBody } from '../../support/apiViews.js';
import { stayInMinute } from '../../support/stayInMinute.js';

const TOKEN = 'a-token-for-metrics-alone';
const REMOTE = { 'X-Forwarded-For': '203.0.113.9' };

describe('GET /metrics', () => {
  let api: ApiServer;
  stayInMinute();
  before(async () => {
    const env = { METRICS_TOKEN: TOKEN, RATE_LIMIT_DISABLED: 'false', RATE_LIMIT_SEARCHES: '1' };
    api = await startApi({ env });
    await storeBody(api.stores.mongo.collections, 'thread/1', { id: '1' });
  });
  after(() => api.close());

  /** The value of one line of metrics. */
  const value = async (line: string): Promise<number> => {
    const text = (await api.get('/metrics')).body.toString();
    const found = text.split('\n').find((each) => each.startsWith(`${line} `));
    return Number(found?.slice(line.length + 1) ?? NaN);
  };

  it('tells of requests, both caches, stores, refusals and the process', async () => {
    // On a busy machine any request may be answered 503. It is counted only once its connection has ended.
    const ask = (path: string) => exchange(api.url, 'GET', path);
    const replies = {
      getThread: [await ask('/api/threads/1'), await ask('/api/threads/1')],
      getServerStats: [await ask('/api/servers/5/stats')],
      searchArchive: [await ask('/api/search?q=a'), await ask('/api/search?q=a')],
    };
    expect(replies.searchArchive.map(({ status }) => status)).to.include(429);
    for (const [operation, answered] of Object.entries(replies)) {
      for (const { status } of answered) {
        const line = `forum_archive_http_request_duration_seconds_count{operation="${operation}",status="${status}"}`;
        const same = answered.filter((reply) => reply.status === status);
        await untilEqual(() => value(line), same.length);
      }
    }
    await untilEqual(() => value('forum_archive_rate_limited_total{limit="searches"}'), 1);
    await until(async () => {
      await ask('/api/threads/1');
      return (await value('forum_archive_response_cache_total{result="hit"}')) > 0;
    });
    expect(await value('forum_archive_response_cache_bytes')).to.be.above(0);
    await untilEqual(() => value('forum_archive_store_up{store="mongodb"}'), 1);
    const calls = 'forum_archive_store_call_duration_seconds_count{store="mongodb"}';
    expect(await value(calls)).to.be.above(0);
    const searches = 'forum_archive_store_call_duration_seconds_count{store="elasticsearch"}';
    expect(await value(searches)).to.be.above(0);
    expect(await value('process_resident_memory_bytes')).to.be.above(1_000_000);
  });

  it('holds nothing that a caller wrote', async () => {
    const mark = 'marked7f3a';
    const headers = { 'X-API-Key': mark, 'X-Request-Id': mark, 'User-Agent': mark };
    for (const path of [`/${mark}`, `/api/threads/${mark}`, `/api/search?q=${mark}`]) {
      await api.get(path, headers);
      await api.send('PUT', path, headers);
    }
    const text = (await api.get('/metrics')).body.toString();
    expect(text).to.contain('operation="none",status="404"');
    expect(text).not.to.contain(mark);
    expect(text).not.to.contain(TOKEN);
  });

  it('is for this machine, and for callers with the token', async () => {
    const local = await api.get('/metrics');
    expect(local.status).to.equal(200);
    expect(local.headers['content-type']).to.match(/^text\/plain/);
    expect(local.headers).to.include({ 'cache-control': 'private, no-store' });
    expect(local.headers).not.to.have.property('access-control-allow-origin');
    const head = await api.send('HEAD', '/metrics');
    expect([head.status, head.body.length]).to.deep.equal([200, 0]);
    expect(head.headers['content-type']).to.equal(local.headers['content-type']);
    const status = async (headers: Record<string, string>) =>
      (await api.get('/metrics', { ...REMOTE, ...headers })).status;
    expect(await status({})).to.equal(401);
    // A proxy that sorts headers writes its own after these.
    const many = { Host: 'x', A: Array<string>(1_100).fill('') };
    expect((await api.get('/metrics', { ...many, ...REMOTE })).status).to.equal(431);
    const text = (await api.get('/metrics')).body.toString();
    expect(text).to.match(/request_duration_seconds_count\{operation="none",status="431"\} 1$/m);
    expect(await status({ Authorization: 'Bearer wrong' })).to.equal(403);
    expect(await status({ Authorization: `Bearer ${TOKEN}` })).to.equal(200);
  });

  it('is not for a page of a site whose name points to this machine', async () => {
    const status = async (headers: Record<string, string>) =>
      (await api.get('/metrics', headers)).status;
    for (const host of ['localhost:3000', '[::1]:3000', 'api:3000', 'host.docker.internal']) {
      expect(await status({ Host: host }), host).to.equal(200);
    }
    const Host = 'elsewhere.example:3000';
    expect(await status({ Host })).to.equal(401);
    expect(await status({ Host, Authorization: `Bearer ${TOKEN}` })).to.equal(200);
  });

  it('has no other methods, and no other spelling', async () => {
    const posted = await api.send('POST', '/metrics');
    expect([posted.status, posted.headers['allow']]).to.deep.equal([405, 'GET, HEAD, OPTIONS']);
    const asked = await api.send('OPTIONS', '/metrics');
    expect([asked.status, asked.headers['allow']]).to.deep.equal([204, 'GET, HEAD, OPTIONS']);
    // A proxy that does not pass /metrics on may pass these on.
    for (const path of ['/metrics/', '/Metrics', '/%6detrics']) {
      expect((await api.get(path)).status, path).to.equal(404);
    }
  });
});
