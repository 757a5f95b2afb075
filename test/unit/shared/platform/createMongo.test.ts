import { expect } from 'chai';
import { createMongo } from '../../../../shared/platform/clients.js';

describe('createMongo', () => {
  it('reads from the primary, and writes to a majority, whatever the URL says', async () => {
    const MONGODB_URL = 'mongodb://a.example/x?readPreference=secondaryPreferred&w=1';
    const { client, collections } = createMongo({ MONGODB_URL }, { timeoutMs: 1, poolSize: 1 });
    try {
      expect(collections.bodies.readPreference?.mode).to.equal('primary');
      expect(collections.bodies.writeConcern?.w).to.equal('majority');
    } finally {
      await client.close();
    }
  });
});
