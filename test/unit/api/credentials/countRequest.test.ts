import { expect } from 'chai';
import type { Context } from 'koa';
import {
  askerOf,
  countRequest,
  refuseBlocked,
} from '../../../../services/api/http/credentials/countRequest.js';
import { RateLimiter } from '../../../../services/api/http/credentials/rateLimiter.js';
import { AppError } from '../../../../shared/contract/errors.js';

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
