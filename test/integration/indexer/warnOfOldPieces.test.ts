import { expect } from 'chai';
import { warnOfOldPieces } from '../../../services/indexer/warnOfOldPieces.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { openStores } from '../../support/stores.js';

describe('warnOfOldPieces', () => {
  it('names each old collection that holds something, and no other', async () => {
    const stores = await openStores();
    const warned: unknown[] = [];
    const logger = { warn: (about: unknown) => warned.push(about) } as unknown as Logger;
    try {
      await stores.mongo.db.createCollection('bodyChunks');
      await warnOfOldPieces(stores.mongo, logger);
      expect(warned).to.deep.equal([]);
      await stores.mongo.db.collection('uploadChunks').insertOne({});
      await warnOfOldPieces(stores.mongo, logger);
      expect(warned).to.deep.equal([{ collection: 'uploadChunks' }]);
    } finally {
      await stores.close();
    }
  });
});
