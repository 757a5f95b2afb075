import { expect } from 'chai';
import { createMongo, pingMongo } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';
import { startProxy } from '../../support/apiProxy.js';
import { until } from '../../support/apiServer.js';
import { startOwnMongod } from '../../support/ownMongod.js';
import { rejectionOf, withTemporaryFolder } from '../../support/temporaryFolder.js';

describe('createMongo', () => {
  it('works once MongoDB answers, even if it was silent for longer than the limit at the start', async () => {
    const { hostname: host, port } = new URL(
      readSettings().MONGODB_URL.replace(/^mongodb:/, 'http:'),
    );
    const proxy = await startProxy({ host, port: Number(port || 27_017) });
    proxy.freeze();
    const url = `mongodb://127.0.0.1:${proxy.port}/test_client?directConnection=true`;
    const { client, db } = createMongo({ MONGODB_URL: url }, { timeoutMs: 300, poolSize: 2 });
    const ping = () => db.command({ ping: 1 });
    try {
      expect(await rejectionOf(ping())).not.to.equal('');
      proxy.thaw();
      const isBack = (): Promise<boolean> =>
        ping().then(
          ({ ok }) => ok === 1,
          () => false,
        );
      await until(isBack);
    } finally {
      await client.close();
      await proxy.close();
    }
  });
});

describe('pingMongo', () => {
  it('fails while the server that it is connected to is not the primary', () =>
    withTemporaryFolder(async (folder) => {
      const mongod = await startOwnMongod(folder, ['--replSet', 'rs0']);
      const { host } = mongod;
      const url = `mongodb://${host}/test_ping?directConnection=true`;
      const mongo = createMongo({ MONGODB_URL: url }, { timeoutMs: 5_000, poolSize: 2 });
      const failure = async (replicaSet: string): Promise<string> => {
        const MONGODB_URL = `mongodb://${host}/test_ping?replicaSet=${replicaSet}`;
        const other = createMongo({ MONGODB_URL }, { timeoutMs: 1_000, poolSize: 2 });
        try {
          return await rejectionOf(pingMongo(other, 5_000));
        } finally {
          await other.client.close();
        }
      };
      const answers = (): Promise<boolean> =>
        pingMongo(mongo, 5_000).then(
          () => true,
          () => false,
        );
      try {
        await mongod.ask({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } });
        await until(answers);
        await mongod.ask({ replSetStepDown: 600, force: true });
        expect(await rejectionOf(pingMongo(mongo, 5_000))).to.include('not the primary');
        expect(await failure('rs0')).to.include('the replica set rs0 has no primary now');
        expect(await failure('rs1')).to.include('is in a replica set rs1');
        await mongod.ask({ replSetFreeze: 0 });
        await until(answers);
      } finally {
        await mongo.client.close();
        await mongod.stop();
      }
    }));
});
