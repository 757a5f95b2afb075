import { expect } from 'chai';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { createHandlers } from '../../../services/indexer/handlers.js';
import { PayloadError } from '../../../services/indexer/permanentErrors.js';

describe('the handlers of jobs', () => {
  for (const [name, handle] of Object.entries(createHandlers({} as IndexerDeps))) {
    it(`of ${name} refuse a payload that is none of its, before they do anything`, async () => {
      for (const payload of [undefined, null, 'text', { unheardOf: 1 }]) {
        await handle(payload).then(
          () => expect.fail('It was done'),
          (error: unknown) => expect(error).to.be.instanceOf(PayloadError),
        );
      }
    });
  }
});
