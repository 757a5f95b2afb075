import { MongoClient } from 'mongodb';
import { expect } from 'chai';
import { join } from 'node:path';
import { cacheFolder } from '../../../services/local/cacheFolder.js';
import { createChildren } from '../../../services/local/children.js';
import { startMongodb } from '../../../services/local/mongodb.js';
import { freePort } from '../../../services/local/ports.js';
import { resolvePrograms } from '../../../services/local/resolvePrograms.js';
import { startOwnServers } from '../../support/ownServers.js';
import { rejectionOf, withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('the local MongoDB', () => {
  it('has its launcher tell why it ends, although it writes much about its end below that', () =>
    withTemporaryFolder(async (folder) => {
      const env = process.env;
      const report = { line: () => undefined, progress: () => undefined };
      const children = createChildren();
      const context = { env, dataDir: folder, logs: join(folder, 'logs'), children };
      const wanted = { mongodb: true, elasticsearch: false, redis: false };
      const fetching = { ...context, cache: await cacheFolder(env), report };
      const { mongodb: program = '' } = await resolvePrograms(wanted, fetching);
      try {
        await startMongodb(program, await freePort(), context);
        // Both would use the same data.
        const message = await rejectionOf(startMongodb(program, await freePort(), context));
        expect(message).to.match(/^MongoDB stopped \(exit code \d+\)\nIts log ends like this/);
        expect(message).to.include('DBPathInUse');
      } finally {
        await children.stopAll();
      }
    }));

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
