import { expect } from 'chai';
import { createProducer } from '../../../shared/jobs/producer.js';
import { readSettings } from '../../../shared/platform/env.js';
import { startProxy } from '../../support/apiProxy.js';
import { until } from '../../support/apiServer.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

describe('createProducer', () => {
  it('files jobs once Redis is there, although it was away at the start', async () => {
    const { hostname: host, port } = new URL(readSettings().REDIS_URL);
    const proxy = await startProxy({ host, port: Number(port || 6379) });
    await proxy.cut();
    const redisUrl = `redis://127.0.0.1:${proxy.port}`;
    const producer = createProducer({ redisUrl, namespace: 'test_producer' });
    try {
      expect(await rejectionOf(producer.counts())).not.to.equal('');
      await proxy.mend();
      const isBack = (): Promise<boolean> =>
        producer.counts().then(
          ({ waiting }) => waiting === 0,
          () => false,
        );
      await until(isBack);
    } finally {
      await producer.close();
      await proxy.close();
    }
  });
});
