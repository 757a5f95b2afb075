import { expect } from 'chai';
import type { Collections } from '../../../../shared/store/collections.js';
import { archiveSecret } from '../../../../shared/store/secrets.js';

describe('archiveSecret', () => {
  it('writes nothing where the secret is known, because a write waits for most members of the replica set', async () => {
    const state = { findOne: () => Promise.resolve({ _id: 'cursors', secret: 'known' }) };
    const store = { state } as unknown as Pick<Collections, 'state'>;
    expect(await archiveSecret(store, 'cursors')).to.equal('known');
  });
});
