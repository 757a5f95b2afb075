import { connect } from 'node:net';
import { expect } from 'chai';
import { until } from '../../support/apiServer.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { ask, type RestReply } from './restClient.js';

describe('Limits of the platform double', () => {
  let double: DiscordDouble;

  afterEach(() => double.close());

  const start = async (options: Parameters<typeof startDiscord>[0]): Promise<string> => {
    double = await startDiscord({ history: null, ...options });
    return double.model.createGuild().id;
  };
  const many = async (count: number, path: string): Promise<RestReply[]> => {
    const replies: RestReply[] = [];
    for (let number = 0; number < count; number += 1) replies.push(await ask(double, path));
    return replies;
  };
  /** Longer than any test takes, however busy the machine is. */
  const HOUR = 3_600_000;

  it('refuses requests beyond a bucket, and tells for how long', async () => {
    const guildId = await start({ buckets: { guild: { limit: 2, windowMs: HOUR } } });
    const [first, , third] = await many(3, `/guilds/${guildId}`);
    expect(first?.headers.get('x-ratelimit-limit')).to.equal('2');
    expect(first?.headers.get('x-ratelimit-remaining')).to.equal('1');
    expect(third?.status).to.equal(429);
    expect(third?.headers.get('x-ratelimit-scope')).to.equal('user');
    const { retry_after: wait, global } = third!.json() as { retry_after: number; global: boolean };
    expect([wait > 3_000 && wait <= 3_600, global]).to.deep.equal([true, false]);
    expect(Number(third?.headers.get('retry-after'))).to.be.within(wait, wait + 1);
    expect(double.limits.counts.unknownBucket + double.limits.counts.bucket).to.equal(1);
  });

  it('counts by route and by the id at its top, and lets similar routes share a bucket', async () => {
    const guildId = await start({ buckets: { guildChannels: { limit: 1, windowMs: HOUR } } });
    const other = double.model.createGuild().id;
    const statusOf = async (path: string): Promise<number> => (await ask(double, path)).status;
    expect(await statusOf(`/guilds/${guildId}/channels`)).to.equal(200);
    expect(await statusOf(`/guilds/${guildId}`)).to.equal(200);
    expect(await statusOf(`/guilds/${other}/channels`)).to.equal(200);
    expect(await statusOf(`/guilds/${guildId}/roles`)).to.equal(429);
  });

  it('can give buckets another hash and size', async () => {
    const guildId = await start({ buckets: { guild: { limit: 4, windowMs: HOUR } } });
    const [before] = await many(4, `/guilds/${guildId}`);
    double.limits.renewBuckets(0.5);
    const after = await many(3, `/guilds/${guildId}`);
    const hashOf = (reply?: RestReply): unknown => reply?.headers.get('x-ratelimit-bucket');
    expect(hashOf(after[0])).not.to.equal(hashOf(before));
    expect(after.map(({ status }) => status)).to.deep.equal([200, 200, 429]);
  });

  it('answers at most so many requests in a second, over all routes', async () => {
    await start({ globalLimit: 1 });
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, number) =>
        ask(double, number % 2 ? '/users/@me' : '/gateway'),
      ),
    );
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).to.be.above(0);
    expect(refused[0]?.headers.get('x-ratelimit-global')).to.equal('true');
    expect(refused[0]?.headers.get('x-ratelimit-scope')).to.equal('global');
    expect(refused[0]?.json()).to.have.property('global', true);
    expect(double.limits.counts.global).to.equal(refused.length);
  });

  it('can tell a shared limit, which does not count as an invalid request', async () => {
    await start({});
    double.faults.next('shared');
    const reply = await ask(double, '/users/@me');
    expect([reply.status, reply.headers.get('x-ratelimit-scope')]).to.deep.equal([429, 'shared']);
    expect(double.limits.invalidRequests()).to.equal(0);
    expect(double.limits.counts.shared).to.equal(1);
  });

  it('gives a 429 without Retry-After', async () => {
    await start({});
    double.faults.next('withoutRetryAfter');
    const reply = await ask(double, '/users/@me');
    expect([reply.status, reply.headers.get('retry-after')]).to.deep.equal([429, null]);
  });

  it('can answer everything with a page of Cloudflare for a while', async () => {
    await start({});
    double.limits.blockByCloudflare(3_600);
    for (const path of ['/users/@me', '/gateway']) {
      const reply = await ask(double, path);
      expect(reply.status).to.equal(429);
      expect(() => reply.json()).to.throw(SyntaxError);
      expect(Number(reply.headers.get('retry-after'))).to.be.within(3_000, 3_600);
      expect(reply.headers.get('x-ratelimit-bucket')).to.equal(null);
    }
    expect(double.limits.counts.cloudflare).to.equal(2);
  });

  it('bans a client that is refused too often', async () => {
    await start({ invalidRequestLimit: 3 });
    for (let count = 0; count < 3; count += 1) {
      expect((await ask({ url: double.url, token: 'other' }, '/users/@me')).status).to.equal(401);
    }
    const reply = await ask(double, '/users/@me');
    expect(reply.status).to.equal(429);
    expect(Number(reply.headers.get('retry-after'))).to.be.above(86_000);
    expect(double.limits.counts.ban).to.equal(1);
  });
});

describe('Faults of the platform double', () => {
  let double: DiscordDouble;

  beforeEach(async () => {
    double = await startDiscord({ history: null });
  });

  afterEach(() => double.close());

  it('fails on request, for one route or for any', async () => {
    double.faults.next('serverError', { route: 'gateway' });
    double.faults.next('badGateway', { times: 2 });
    const statuses: number[] = [];
    for (const path of ['/users/@me', '/gateway', '/users/@me', '/users/@me']) {
      statuses.push((await ask(double, path)).status);
    }
    expect(statuses).to.deep.equal([502, 500, 502, 200]);
    expect(double.requests.map(({ status }) => status)).to.deep.equal(statuses);
  });

  it('fails until it is told not to', async () => {
    double.faults.next('unavailable', { times: Infinity });
    for (let count = 0; count < 3; count += 1) {
      expect((await ask(double, '/users/@me')).status).to.equal(503);
    }
    double.faults.clear();
    expect((await ask(double, '/users/@me')).status).to.equal(200);
  });

  it('cuts a connection before an answer and in the middle of it, and garbles one', async () => {
    for (const fault of ['cut', 'cutBody'] as const) {
      double.faults.next(fault);
      const error: unknown = await ask(double, '/users/@me').catch((cause: unknown) => cause);
      expect(error, fault).to.be.an.instanceOf(Error);
    }
    double.faults.next('garbled');
    const reply = await ask(double, '/users/@me');
    expect(() => reply.json()).to.throw(SyntaxError);
  });

  it('survives a client that ends during a request', async () => {
    const { hostname, port } = new URL(double.url);
    const socket = connect(Number(port), hostname);
    socket.write('POST /api/v10/attachments/refresh-urls HTTP/1.1\r\nHost: x\r\n');
    socket.write('Content-Length: 100\r\n\r\n{');
    await until(() => double.requests.length === 1);
    socket.destroy();
    await until(() => double.requests[0]?.status === 403);
    expect((await ask(double, '/users/@me')).status).to.equal(200);
  });

  it('can hold an answer that was made when the request arrived', async () => {
    const guild = double.model.createGuild({ name: 'Before' });
    double.faults.next('held');
    const answer = ask(double, `/guilds/${guild.id}`);
    await until(() => double.requests[0]?.status === 200);
    double.model.updateGuild(guild.id, { name: 'After' });
    double.faults.clear();
    expect((await answer).json()).to.have.property('name', 'Before');
  });
});
