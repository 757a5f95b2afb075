import { expect } from 'chai';
import { createMongo } from '../../../shared/platform/clients.js';
import { readSettings } from '../../../shared/platform/env.js';
import { startProxy } from '../../support/apiProxy.js';
import { until } from '../../support/apiServer.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

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
