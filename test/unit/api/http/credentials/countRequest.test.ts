import { expect } from 'chai';
import type { Context } from 'koa';
import {
  askerOf,
  countRequest,
  refuseBlocked,
} from '../../../../../services/api/http/credentials/countRequest.js';
import { createGate } from '../../../../../services/api/http/credentials/gate.js';
import { RateLimiter } from '../../../../../services/api/http/credentials/rateLimiter.js';
import { AppError } from '../../../../../shared/contract/errors.js';

/** A request's context, with the headers of its response. */
function aContext(state: object = {}) {
  const headers = new Map<string, string>();
  const res = { setHeader: (name: string, value: string) => headers.set(name, value) };
  return { headers, ctx: { res, state } as unknown as Context };
}

const aLimiter = (limit: number) =>
  new RateLimiter({
    policy: 'caller',
    limit,
    shared: (_name, _window, hits) => Promise.resolve(hits),
    now: () => 600_000,
  });

describe('countRequest', () => {
  it('charges what a request costs more under the same name, and by the same weight', () => {
    const { headers, ctx } = aContext();
    const limiter = aLimiter(60);
    countRequest(ctx, limiter, 'key:1', 10);
    expect(headers.get('RateLimit')).to.equal('"caller";r=50;t=60');
    const asker = askerOf(ctx);
    expect(asker.name).to.equal('key:1');
    expect(asker.affords(4)).to.equal(true);
    asker.charge(4);
    expect(headers.get('RateLimit')).to.equal('"caller";r=10;t=60');
    expect(limiter.look('key:1').left).to.equal(10);
    expect([asker.affords(1), asker.affords(2)]).to.deep.equal([true, false]);
    expect(() => asker.charge(2)).to.throw(AppError, /60 seconds/);
    expect(headers.get('RateLimit')).to.equal('"caller";r=0;t=60');
    expect(ctx.state['limitedBy']).to.equal('caller');
  });

  it('limits nobody who was not counted', () => {
    const asker = askerOf(aContext({ asker: '192.0.2.1' }).ctx);
    asker.charge(1_000_000);
    expect([asker.name, asker.affords(1_000_000)]).to.deep.equal(['192.0.2.1', true]);
  });

  it('knows who asks where nothing is limited, by their address or by their key', async () => {
    const gate = createGate({
      disableAuth: false,
      limits: undefined,
      identify: () => Promise.resolve({ kind: 'key', id: '1', scopes: ['read'] }),
      addressOf: () => '192.0.2.1',
    });
    const nameOf = async (headers: Record<string, string>) => {
      const { ctx } = aContext();
      const distinct = Object.entries(headers).map(([name, value]) => [name, [value]] as const);
      ctx.req = {
        headers,
        headersDistinct: Object.fromEntries(distinct),
      } as unknown as Context['req'];
      await gate(ctx, { access: headers['x-api-key'] === undefined ? 'public' : 'read' });
      return askerOf(ctx).name;
    };
    expect(await nameOf({})).to.equal('192.0.2.1');
    expect(await nameOf({ 'x-api-key': 'fa_1' })).to.equal('key:1');
  });

  it('refuses a name of which nothing is left, and counts nothing', () => {
    const { headers, ctx } = aContext();
    const limiter = aLimiter(1);
    refuseBlocked(ctx, limiter, 'a');
    expect([limiter.look('a').left, headers.size]).to.deep.equal([1, 0]);
    limiter.take('a');
    expect(() => refuseBlocked(ctx, limiter, 'a')).to.throw(AppError, /again in 60 seconds/);
    expect(limiter.look('a').left).to.equal(0);
  });
});
