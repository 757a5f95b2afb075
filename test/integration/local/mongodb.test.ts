import { MongoClient } from 'mongodb';
import { expect } from 'chai';
import { startOwnServers } from '../../support/ownServers.js';
import { withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('the local MongoDB', () => {
  it('runs no JavaScript', () =>
    withTemporaryFolder(async (folder) => {
      const wanted = { mongodb: true, elasticsearch: false, redis: false };
      const own = await startOwnServers(folder, wanted);
      const client = new MongoClient(own.servers.mongodb!.url);
      try {
        const people = client.db().collection('people');
        await people.insertOne({ name: 'a' });
        expect(await people.find({ name: 'a' }).toArray()).to.have.length(1);
        const where = people.find({ $where: 'true' }).toArray();
        const error: unknown = await where.catch((reason: unknown) => reason);
        expect(error).to.be.instanceOf(Error);
      } finally {
        await client.close();
        await own.stop();
      }
    }));
});
