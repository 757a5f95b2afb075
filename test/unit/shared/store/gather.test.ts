import { expect } from 'chai';
import { createMongo } from '../../../../shared/platform/clients.js';
import { isStoreAway } from '../../../../shared/platform/storeErrors.js';
import type { DeletionRecord } from '../../../../shared/store/deletionRecord.js';
import { insertGathered, writeAllGathered } from '../../../../shared/store/gather.js';

describe('gathered writes', () => {
  it('throw when the server is away, which the driver reports as a bulk without refused writes', async () => {
    const url = 'mongodb://127.0.0.1:1/nowhere?directConnection=true';
    const { client, collections } = createMongo(
      { MONGODB_URL: url },
      { timeoutMs: 200, poolSize: 2 },
    );
    try {
      const update = { updateOne: { filter: { _id: 'a' }, update: { $set: { name: 'b' } } } };
      for (const write of [
        () => writeAllGathered(collections.servers, [update]),
        () => insertGathered(collections.deletions, { _id: 'a' } as DeletionRecord),
      ]) {
        const error: unknown = await write().then(
          () => 'written',
          (thrown: unknown) => thrown,
        );
        expect(error).to.be.an('error');
        expect(isStoreAway(error)).to.equal(true);
      }
    } finally {
      await client.close();
    }
  });
});
