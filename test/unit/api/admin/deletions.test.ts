import { expect } from 'chai';
import { MongoNetworkError } from 'mongodb';
import { deleteBy } from '../../../../services/api/admin/deletions.js';
import { rejectionOf } from '../../../support/temporaryFolder.js';

describe('deletions', () => {
  it('are not said to be refused by the queue where MongoDB fails to record them', async () => {
    const failure = new MongoNetworkError('connect ECONNREFUSED');
    const deps = {
      callMs: 1_000,
      producer: { tryStoring: () => Promise.resolve() },
      collections: {
        threads: { countDocuments: () => Promise.resolve(1) },
        deletions: { updateOne: () => Promise.reject(failure) },
      },
    };
    const handler = deleteBy(deps as unknown as Parameters<typeof deleteBy>[0], 'thread');
    const input = { params: { threadId: '1' } } as Parameters<typeof handler>[0];
    expect(await rejectionOf(handler(input))).to.equal(failure.message);
  });
});
