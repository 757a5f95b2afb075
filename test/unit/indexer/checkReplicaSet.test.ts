import { expect } from 'chai';
import { checkReplicaSet } from '../../../services/indexer/checkReplicaSet.js';
import type { Mongo } from '../../../shared/platform/clients.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

describe('checkReplicaSet', () => {
  const check = (hello: object) =>
    checkReplicaSet({ db: { command: () => Promise.resolve(hello) } as unknown as Mongo['db'] });

  it('accepts a member of a replica set, one that is not initiated yet, and a router of a cluster', async () => {
    await check({ isWritablePrimary: true, setName: 'rs0' });
    await check({ isWritablePrimary: false, setName: 'rs0' });
    await check({ isWritablePrimary: false, isreplicaset: true });
    await check({ isWritablePrimary: true, msg: 'isdbgrid' });
  });

  it('refuses a standalone server, and names the setting', async () => {
    expect(await rejectionOf(check({ isWritablePrimary: true })))
      .to.contain('MONGODB_URL')
      .and.to.contain('standalone');
  });
});
