import { expect } from 'chai';
import { withQueue } from '../../../../services/api/admin/withQueue.js';
import type { AppError } from '../../../../shared/contract/errors.js';

describe('withQueue', () => {
  const errorOf = (ask: () => Promise<never>) =>
    withQueue({ callMs: 1 }, ask).then(
      () => expect.fail('It did not reject'),
      (error: unknown) => error as AppError,
    );

  it('gives up on a queue that does not answer', async () => {
    const { code, headers } = await errorOf(() => new Promise(() => undefined));
    expect({ code, headers }).to.deep.equal({
      code: 'UNAVAILABLE',
      headers: { 'Retry-After': '2' },
    });
  });

  it('keeps the reason for the log where the queue fails, and tells it to nobody else', async () => {
    const reason = new Error('connect ECONNREFUSED');
    const { code, message, cause } = await errorOf(() => Promise.reject(reason));
    expect([code, cause]).to.deep.equal(['UNAVAILABLE', reason]);
    expect(message).not.to.contain('ECONN');
  });
});
