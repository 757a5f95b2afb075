import { getEventListeners, once } from 'node:events';
import { mock } from 'node:test';
import { expect } from 'chai';
import type { Admission } from '../../../../shared/discordApi/admission.js';
import {
  createPlatformClient,
  type PlatformAnswer,
} from '../../../../shared/discordApi/platformClient.js';
import {
  isProofOfDeletion,
  PlatformAnswerError,
  PlatformAway,
  PlatformForbidden,
  PlatformRefused,
  PlatformUnauthorized,
} from '../../../../shared/discordApi/platformErrors.js';
import { RateLimits } from '../../../../shared/discordApi/rateLimits.js';
import { FakeClock } from '../../../support/fakeClock.js';

type Respond = (sent: number) => Response | Error;

const json = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers });

/** The headers of a bucket. */
const bucket = (remaining: number, resetAfter: number, hash = 'abc', limit = 5) => ({
  'X-RateLimit-Bucket': hash,
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset-After': String(resetAfter),
});

const limited = (body: unknown, headers: Record<string, string> = {}) =>
  typeof body === 'string'
    ? new Response(body, { status: 429, headers })
    : json(body, 429, headers);

/** An admission that records what it is told. A stop lasts as long as the clock says. */
function anAdmission(clock: FakeClock) {
  const told = { invalid: 0, stops: [] as number[] };
  let stopped: string | null = null;
  const open = new Set<string>();
  let until = 0;
  const admission: Admission = {
    ask(requestId) {
      const wait = Math.max(0, until - clock.now());
      if (wait === 0) open.add(requestId);
      return Promise.resolve({ ms: wait, why: wait === 0 ? null : stopped });
    },
    answered(requestId) {
      open.delete(requestId);
      return Promise.resolve();
    },
    stop(ms, why) {
      told.stops.push(ms);
      stopped = why;
      until = clock.now() + ms;
      return Promise.resolve();
    },
    countInvalid() {
      told.invalid += 1;
      return Promise.resolve();
    },
  };
  return { admission, told, open };
}

/** A client of a platform with given answers. It records the times at which the platform was asked. */
function aClient(respond: Respond) {
  const clock = new FakeClock();
  const { admission, told, open } = anAdmission(clock);
  const sent: { at: number; url: string; headers: Headers; redirect: string | undefined }[] = [];
  const held: { ms: number; why: string }[] = [];
  let time = 0;
  const client = createPlatformClient({
    url: 'https://platform.example/v10',
    publicUrl: 'https://archive.example',
    token: 'T',
    clock,
    admission,
    onHeld: (wait) => held.push(wait),
    now: () => Promise.resolve((time += 1)),
    fetch: (url, init) => {
      sent.push({
        at: clock.now(),
        url: url as string,
        headers: new Headers(init?.headers),
        redirect: init?.redirect,
      });
      const response = respond(sent.length);
      return response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
    },
  });
  const ask = (path = '/a', topId = '1', route = 'GET /a') =>
    client.get({ route, topId, path, check: (answer) => answer });
  return { ask, client, clock, sent, told, open, held, times: () => sent.map(({ at }) => at) };
}

/** The state of a promise now. */
function outcome<T>(promise: Promise<T>) {
  const seen: { value?: T; error?: unknown } = {};
  promise.then(
    (value) => (seen.value = value),
    (error: unknown) => (seen.error = error),
  );
  return seen;
}

describe('the client of the platform', () => {
  it('names the bot as the platform demands, and follows no redirect with its token', async () => {
    const { ask, sent } = aClient(() => json({ fine: true }));
    expect((await ask('/channels/1')).value).to.deep.equal({ fine: true });
    const [request] = sent;
    expect(request?.url).to.equal('https://platform.example/v10/channels/1');
    expect(request?.headers.get('Authorization')).to.equal('Bot T');
    expect(request?.headers.get('User-Agent')).to.match(/^DiscordBot \(https:.+, \d+\.\d+\.\d+\)$/);
    expect(request?.redirect).to.equal('manual');
  });

  it('dates an answer by the moment at which its last request was sent', async () => {
    const { ask, clock } = aClient((n) => (n === 1 ? json({}, 502) : json({})));
    const seen = outcome(ask());
    await clock.pass(1_000);
    expect((seen.value as PlatformAnswer<unknown>).asOf).to.equal(2);
  });

  it('counts a request from before it is sent until it is answered or fails', async () => {
    const counted: number[] = [];
    const client = aClient((n) => {
      counted.push(client.open.size);
      if (n === 1) return new Error('gone');
      return n === 2 ? json({}, 502) : json({});
    });
    const seen = outcome(client.ask());
    await client.clock.pass(10_000);
    expect(seen.value).to.be.an('object');
    expect(counted).to.deep.equal([1, 1, 1]);
    expect(client.open.size).to.equal(0);
  });

  describe('a bucket', () => {
    it('lets one request through until the first answer tells of it, then as many as are left', async () => {
      const clients = aClient((n) => json({}, 200, bucket(5 - n, 4)));
      const { ask, clock, times } = clients;
      const all = Promise.all(Array.from({ length: 7 }, () => ask()));
      await clock.pass(0);
      expect(times()).to.deep.equal([0, 0, 0, 0, 0]);
      await clock.pass(3_999);
      expect(times()).to.have.length(5);
      await clock.pass(1);
      expect(times()).to.deep.equal([0, 0, 0, 0, 0, 4_000, 4_000]);
      await all;
    });

    it('belongs to one channel or server: another one has its own', async () => {
      const { ask, clock, times } = aClient(() => json({}, 200, bucket(0, 10)));
      await ask('/a', '1');
      await ask('/a', '2');
      expect(times()).to.deep.equal([0, 0]);
      void ask('/a', '1');
      await clock.pass(9_999);
      expect(times()).to.have.length(2);
      await clock.pass(1);
      expect(times()).to.have.length(3);
    });

    it('is shared by routes whose answers name the same one', async () => {
      const { ask, clock, times } = aClient((n) => json({}, 200, bucket(n === 1 ? 1 : 0, 10)));
      await ask('/a', '1', 'GET /a');
      await ask('/b', '1', 'GET /b');
      void ask('/a', '1', 'GET /a');
      await clock.pass(5_000);
      expect(times()).to.deep.equal([0, 0]);
    });

    it('may change: waiting requests go on by the new one', async () => {
      const answers = [bucket(0, 1, 'old'), bucket(2, 60, 'new', 3)];
      const { ask, clock, times } = aClient((n) =>
        json({}, 200, answers[n - 1] ?? bucket(0, 60, 'new', 3)),
      );
      await ask();
      const all = [ask(), ask(), ask(), ask()];
      await clock.pass(1_000);
      expect(times()).to.deep.equal([0, 1_000, 1_000, 1_000]);
      await clock.pass(60_000);
      await Promise.all(all);
    });

    it('limits nothing where answers name none', async () => {
      const { ask, times } = aClient(() => json({}));
      await Promise.all([ask(), ask(), ask()]);
      await Promise.all([ask(), ask(), ask()]);
      expect(times()).to.have.length(6);
    });

    describe('that is used up in a window of which no answer tells', () => {
      /** One window of the bucket has ended, and the first of four requests of a new one is sent. */
      async function rolled() {
        const clock = new FakeClock();
        const limits = new RateLimits(clock);
        const take = () => limits.take({ route: 'GET /a', topId: '1' });
        (await take()).end(new Headers(bucket(4, 1)));
        return { clock, take };
      }
      /** Whether a request may be sent now. */
      async function isOpen({ clock, take }: Awaited<ReturnType<typeof rolled>>) {
        const seen = outcome(take());
        await clock.pass(10);
        return seen.value !== undefined;
      }

      it('lets one request through when all have ended, the last with an answer of the earlier window', async () => {
        const rig = await rolled();
        const slow = await rig.take();
        await rig.clock.pass(1_500);
        const four = [await rig.take(), await rig.take(), await rig.take(), await rig.take()];
        for (const permit of four) permit.end(null);
        expect(await isOpen(rig)).to.equal(false);
        slow.end(new Headers(bucket(3, 0.001)));
        expect(await isOpen(rig)).to.equal(true);
      });

      it('lets one request through after answers that name no bucket', async () => {
        const rig = await rolled();
        await rig.clock.pass(1_500);
        for (let n = 0; n < 8; n += 1) (await rig.take()).end(new Headers());
        expect(await isOpen(rig)).to.equal(true);
      });
    });

    it('is asked again, one request at a time, when requests have ended without an answer', async () => {
      const { ask, clock, sent } = aClient(() => new Error('connection reset'));
      const all = [outcome(ask()), outcome(ask())];
      await clock.pass(120_000);
      expect(sent).to.have.length(10);
      for (const { error } of all) expect(error).to.be.instanceOf(PlatformAway);
    });
  });

  describe('429', () => {
    const isSecond = (response: Response) => (n: number) => (n === 1 ? response : json({}));

    it('of a bucket: only that bucket waits', async () => {
      const { ask, clock, times, told } = aClient(
        isSecond(
          limited(
            { message: 'x', retry_after: 2.5, global: false },
            { 'X-RateLimit-Scope': 'user' },
          ),
        ),
      );
      const first = ask('/a', '1');
      await clock.pass(0);
      await ask('/a', '2');
      await clock.pass(2_499);
      expect(times()).to.deep.equal([0, 0]);
      await clock.pass(1);
      await first;
      expect(times()).to.deep.equal([0, 0, 2_500]);
      expect(told).to.deep.equal({ invalid: 1, stops: [] });
    });

    it('of a shared resource does not count towards a ban', async () => {
      const { ask, clock, told } = aClient(
        isSecond(limited({ retry_after: 1 }, { 'X-RateLimit-Scope': 'shared' })),
      );
      const seen = outcome(ask());
      await clock.pass(1_000);
      expect(seen.value).to.include({ asOf: 2 });
      expect(told).to.deep.equal({ invalid: 0, stops: [] });
    });

    const stopping: [string, Response, number][] = [
      ['that is global by its body', limited({ retry_after: 3, global: true }), 3_000],
      [
        'that is global by its header',
        limited({ retry_after: 3 }, { 'X-RateLimit-Global': 'true' }),
        3_000,
      ],
      ['of Cloudflare', limited('<html>error code: 1015</html>', { 'Retry-After': '20' }), 20_000],
      ['of Cloudflare that tells no time', limited('error code: 1015'), 60_000],
    ];
    for (const [name, response, ms] of stopping) {
      it(`${name} stops everything`, async () => {
        const { ask, clock, times, told, held } = aClient(isSecond(response));
        const first = ask('/a', '1');
        await clock.pass(0);
        const other = ask('/b', '2', 'GET /b');
        await clock.pass(ms - 1);
        expect(times()).to.deep.equal([0]);
        await clock.pass(1);
        await Promise.all([first, other]);
        expect(told).to.deep.equal({ invalid: 1, stops: [ms] });
        const why = name.includes('Cloudflare')
          ? 'Cloudflare, in front of the platform, limits this address (429)'
          : 'The platform asks to wait (429)';
        expect(held).to.deep.equal([
          { ms, why },
          { ms, why },
        ]);
      });
    }

    const waits: [string, Response, number][] = [
      [
        'by Retry-After where the body tells no time',
        limited({ message: 'x' }, { 'Retry-After': '7' }),
        7_000,
      ],
      ['until the bucket is full where only that is told', limited({}, bucket(0, 4)), 4_000],
      [
        'by retry_after where its bucket, named for the first time, has room',
        limited({ retry_after: 5 }, { ...bucket(4, 1), 'X-RateLimit-Scope': 'shared' }),
        5_000,
      ],
      ['a minute where nothing is told', limited({}), 60_000],
      ['an hour at most', limited({ retry_after: 1e15 }), 3_600_000],
      ['a moment at least', limited({ retry_after: 0 }), 50],
    ];
    for (const [name, response, ms] of waits) {
      it(`is waited for ${name}`, async () => {
        const { ask, clock, times } = aClient(isSecond(response));
        const first = ask();
        await clock.pass(ms - 1);
        expect(times()).to.deep.equal([0]);
        await clock.pass(1);
        await first;
      });
    }

    it('ends the request when it comes again and again', async () => {
      const { ask, clock, sent } = aClient(() => limited({ retry_after: 1 }));
      const seen = outcome(ask());
      await clock.pass(60_000);
      expect(seen.error).to.be.instanceOf(PlatformAway);
      expect(sent).to.have.length(5);
    });
  });

  it('tries again after a refusal or a limit that is cut off, and stops nothing else', async () => {
    const cut = (status: number) =>
      new Response('{"message": "Missing Acc', {
        status,
        headers: { 'Content-Type': 'application/json', 'Retry-After': '1' },
      });
    for (const status of [403, 429]) {
      const { ask, clock, told } = aClient((n) => (n === 1 ? cut(status) : json({})));
      const seen = outcome(ask());
      await clock.pass(2_000);
      expect(seen.value, String(status)).to.be.an('object');
      expect(told, String(status)).to.deep.equal({ invalid: 1, stops: [] });
    }
  });

  describe('403 of Cloudflare', () => {
    const blocks: [string, () => Response, number][] = [
      ['that is HTML', () => new Response('<html>Sorry</html>', { status: 403 }), 60_000],
      ['that has no body', () => new Response(null, { status: 403 }), 60_000],
      ['that is JSON without a code', () => json({ title: 'Blocked' }, 403), 60_000],
      ['with the code of a block', () => json({ message: 'No', code: 40_333 }, 403), 60_000],
      [
        'that tells a time',
        () => new Response('', { status: 403, headers: { 'Retry-After': '20' } }),
        20_000,
      ],
    ];
    for (const [name, block, ms] of blocks) {
      it(`${name} stops everything for a while, and forbids nothing`, async () => {
        const { ask, clock, times, told } = aClient((n) => (n === 1 ? block() : json({})));
        const asked = [outcome(ask('/a', '1'))];
        await clock.pass(0);
        asked.push(outcome(ask('/b', '2', 'GET /b')));
        await clock.pass(ms - 1);
        expect(asked[0]).to.deep.equal({});
        expect(times()).to.deep.equal([0]);
        await clock.pass(1);
        for (const { value } of asked) expect(value).to.be.an('object');
        expect(told).to.deep.equal({ invalid: 1, stops: [ms] });
      });

      it(`${name} ends the request when it comes again and again`, async () => {
        const { ask, clock, sent } = aClient(block);
        const seen = outcome(ask());
        await clock.pass(10 * ms);
        expect(seen.error).to.be.instanceOf(PlatformAway);
        expect(sent).to.have.length(5);
      });
    }
  });

  it('tries again after a fault, with growing delays', async () => {
    const faults: Respond = (n) =>
      [json({}, 500), new Error('reset'), json({}, 503), new Response('{"a":'), json({ fine: 1 })][
        n - 1
      ]!;
    const { ask, clock, times } = aClient(faults);
    const seen = outcome(ask());
    await clock.pass(10_000);
    expect((seen.value as PlatformAnswer<unknown>).value).to.deep.equal({ fine: 1 });
    const gaps = times()
      .slice(1)
      .map((at, n) => at - times()[n]!);
    for (const [n, gap] of gaps.entries()) expect(gap).to.be.within(250 * 2 ** n, 500 * 2 ** n);
  });

  it('tells why the platform does not answer', async () => {
    const causes = [new Error('connect ECONNREFUSED'), Object.assign(new Error(), { code: 'X' })];
    for (const cause of [...causes, undefined]) {
      const { ask, clock } = aClient(() => new TypeError('fetch failed', { cause }));
      const asked = outcome(ask());
      await clock.pass(3_600_000);
      const why = cause ? cause.message || 'X' : 'fetch failed';
      expect((asked.error as Error).message).to.equal(`The platform does not answer: ${why}`);
    }
  });

  it('gives up a request that has no answer for half a minute, and sends it again', async () => {
    const signals: AbortSignal[] = [];
    const clock = new FakeClock();
    const client = createPlatformClient({
      url: 'https://platform.example/v10',
      publicUrl: 'https://archive.example',
      token: 'T',
      clock,
      admission: anAdmission(clock).admission,
      fetch: (_url, init) => {
        const signal = init!.signal!;
        signals.push(signal);
        if (signals.length > 1) return Promise.resolve(json('late'));
        return once(signal, 'abort').then(() => Promise.reject(signal.reason as Error));
      },
    });
    const limits: { giveUp: () => void; ms: number }[] = [];
    const timer = mock.method(globalThis, 'setTimeout', (giveUp: () => void, ms: number) =>
      limits.push({ giveUp, ms }),
    );
    try {
      const asked = outcome(
        client.get({ route: 'GET /a', topId: '1', path: '/a', check: (answer) => answer }),
      );
      await clock.pass(1);
      expect(limits.map(({ ms }) => ms)).to.deep.equal([30_000]);
      limits[0]!.giveUp();
      await clock.pass(1_000);
      expect(asked.value?.value).to.equal('late');
    } finally {
      timer.mock.restore();
    }
  });

  it('sends nothing more once the token was refused', async () => {
    const { ask, sent, told } = aClient(() => json({ message: '401: Unauthorized', code: 0 }, 401));
    const errors = [await ask().catch(String), await ask('/b').catch(String)];
    expect(new Set(errors)).to.have.length(1);
    expect(errors[0]).to.contain('DISCORD_BOT_TOKEN').and.not.contain('Bot T');
    expect(await ask().catch((error: unknown) => error)).to.be.instanceOf(PlatformUnauthorized);
    expect(sent).to.have.length(1);
    expect(told.invalid).to.equal(1);
  });

  it('distinguishes what was deleted from what may not be seen', async () => {
    const cases: [number, number, boolean, boolean][] = [
      [404, 10_003, true, false],
      [404, 10_008, true, false],
      [404, 0, false, false],
      [404, 10_004, false, false],
      [403, 50_001, false, true],
      [403, 10_003, false, true],
      [403, 0, false, true],
    ];
    for (const [status, code, isGone, isForbidden] of cases) {
      const { ask, told } = aClient(() => json({ message: 'No', code }, status));
      const error = await ask().catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(PlatformRefused);
      expect(isProofOfDeletion(error), `${status} ${code}`).to.equal(isGone);
      expect(error instanceof PlatformForbidden, `${status} ${code}`).to.equal(isForbidden);
      expect(told.invalid).to.equal(isForbidden ? 1 : 0);
    }
  });

  it("does not take a refusal by a proxy for the platform's own", async () => {
    for (const status of [302, 400, 401, 404, 408]) {
      const page = () => new Response('<html>Not here</html>', { status });
      const { ask, clock, sent } = aClient((n) => (n < 3 ? page() : json({ fine: true })));
      const seen = outcome(ask());
      await clock.pass(10_000);
      expect(seen.value, String(status)).to.deep.include({ value: { fine: true } });
      expect(sent).to.have.length(3);
    }
  });

  it('accepts nothing of an answer that is not what it should be', async () => {
    const { client } = aClient(() => json([]));
    const check = () => {
      throw new Error('it must be an object');
    };
    const error: unknown = await client
      .get({ route: 'GET /a', topId: '1', path: '/a', check })
      .catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(PlatformAnswerError);
    expect(String(error)).to.contain('GET /a: it must be an object');
  });

  it('ends a wait when its signal is aborted', async () => {
    const { client, clock } = aClient(() => json({}, 200, bucket(0, 3_000)));
    const stop = new AbortController();
    const request = { route: 'GET /a', topId: '1', path: '/a', check: (answer: unknown) => answer };
    await client.get(request);
    const seen = outcome(client.get(request, stop.signal));
    await clock.pass(1);
    stop.abort();
    await clock.pass(1);
    expect(seen.error).to.be.instanceOf(DOMException);
  });

  it('leaves nothing behind at a signal that outlives its requests', async () => {
    const { client, clock } = aClient(() => json({}, 200, bucket(0, 1)));
    const { signal } = new AbortController();
    const request = { route: 'GET /a', topId: '1', path: '/a', check: (answer: unknown) => answer };
    for (let n = 0; n < 5; n += 1) {
      const asked = client.get(request, signal);
      await clock.pass(1_000);
      await asked;
    }
    expect(notesOf(signal)).to.equal(0);
    expect(getEventListeners(signal, 'abort')).to.deep.equal([]);
  });
});

/** How many signals that were made by AbortSignal.any a signal keeps. */
function notesOf(signal: AbortSignal): number {
  const name = Object.getOwnPropertySymbols(signal).find(
    ({ description }) => description === 'kDependantSignals',
  );
  return name ? (signal as unknown as Record<symbol, Set<unknown>>)[name]!.size : 0;
}
