import { expect } from 'chai';
import { storeStates } from '../../../services/api/health/getReadiness.js';
import { guardStores, type GuardedStores } from '../../../services/api/stores/guardStores.js';
import { StoreAway } from '../../../services/api/stores/storeGuard.js';
import { createRedis } from '../../../shared/platform/clients.js';
import { createElasticsearch } from '../../../shared/platform/createElasticsearch.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { untilEqual } from '../../support/apiServer.js';
import { openApiStores, type ApiStores } from '../../support/apiStores.js';
import { PATIENCE_MS } from '../../support/patientElasticsearch.js';

/** Nothing listens there. */
const NOWHERE = '127.0.0.1:1';

describe('guardStores', () => {
  let stores: ApiStores;
  before(async () => {
    stores = await openApiStores();
  });
  after(() => stores.close());

  /** Guards real stores, except for those that are given. */
  async function guarded(
    others: Partial<Parameters<typeof guardStores>[0]>,
    work: (guards: GuardedStores) => Promise<void>,
  ): Promise<void> {
    const { mongo, elasticsearch, redis } = stores;
    const guards = guardStores({
      mongo,
      elasticsearch,
      redis,
      queueRedis: redis,
      logger: createLogger('api', 'silent'),
      observeCall: () => undefined,
      timeLimits: { pingMs: PATIENCE_MS, callMs: PATIENCE_MS },
      ...others,
    });
    try {
      await work(guards);
    } finally {
      guards.stop();
    }
  }

  it('refuses calls to Elasticsearch while that is away, and no calls to MongoDB', async () => {
    const settings = { ELASTICSEARCH_URL: `http://${NOWHERE}` };
    const elasticsearch = createElasticsearch(settings, { timeoutMs: 2_500 });
    await guarded({ elasticsearch }, async (guards) => {
      const states = { mongodb: 'up', elasticsearch: 'down', redis: 'up' } as const;
      await untilEqual(() => storeStates(guards.watches), states);
      const refusal = await guards.elasticsearch.info().catch((error: unknown) => error);
      expect(refusal).to.be.instanceOf(StoreAway);
      await untilEqual(() => guards.collections.threads.findOne({ _id: '1' }), null);
    });
    await elasticsearch.close();
  });

  it('limits how long MongoDB works on a read, whichever method is called', async () => {
    const { db } = stores.mongo;
    await guarded({}, async ({ collections: { threads } }) => {
      await db.command({ profile: 2 });
      await threads.findOne({ _id: '1' }, { sort: { _id: 1 } });
      await threads.find().toArray();
      await threads.aggregate([{ $match: {} }]).toArray();
      await threads.countDocuments();
      await threads.distinct('_id');
      await threads.estimatedDocumentCount();
      await threads.findOneAndUpdate({ _id: '1' }, { $set: { title: 'x' } });
      await db.command({ profile: 0 });
    });
    const calls = await db
      .collection<{ ns: string; command: { maxTimeMS?: number } }>('system.profile')
      .find({ ns: stores.mongo.collections.threads.namespace })
      .toArray();
    const limit = PATIENCE_MS - 500;
    expect(calls.map(({ command }) => command.maxTimeMS)).to.deep.equal(Array(7).fill(limit));
  });

  for (const name of ['redis', 'queueRedis'] as const) {
    it(`tells that Redis is down where only one of its two servers is: ${name}`, async () => {
      const away = createRedis(`redis://${NOWHERE}`, { timeoutMs: 250 });
      away.on('error', () => undefined);
      await away.connect().catch(() => undefined);
      await guarded({ [name]: away }, async (guards) => {
        const states = { mongodb: 'up', elasticsearch: 'up', redis: 'down' } as const;
        await untilEqual(() => storeStates(guards.watches), states);
      });
      away.disconnect();
    });
  }
});
