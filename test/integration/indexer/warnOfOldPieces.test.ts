import { expect } from 'chai';
import { warnOfOldPieces } from '../../../services/indexer/warnOfOldPieces.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('warnOfOldPieces', () => {
  const stores = suiteStores();

  it('names only the old collections that hold something', async () => {
    const warned: unknown[] = [];
    const logger = { warn: (about: unknown) => warned.push(about) } as unknown as Logger;
    await stores.mongo.db.createCollection('bodyChunks');
    await warnOfOldPieces(stores.mongo, logger);
    expect(warned).to.deep.equal([]);
    await stores.mongo.db.collection('uploadChunks').insertOne({});
    await warnOfOldPieces(stores.mongo, logger);
    expect(warned).to.deep.equal([{ collection: 'uploadChunks' }]);
  });
});
