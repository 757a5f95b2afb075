import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openApiStores, type ApiStores } from '../../support/apiStores.js';
import { until } from '../../support/apiServer.js';
import { storeBody } from '../../support/apiViews.js';

const MAIN = fileURLToPath(new URL('../../../services/api/main.js', import.meta.url));

/** There are few clients, so that this process is seldom late with a next request. */
const CLIENTS = 6;

describe('the API process', () => {
  let stores: ApiStores;
  before(async () => {
    stores = await openApiStores();
    await storeBody(stores.mongo.collections, 'thread/1', { text: 'x'.repeat(5_000) });
  });
  after(() => stores.close());

  async function start(env: Record<string, string>): Promise<{ child: ChildProcess; url: string }> {
    const child = spawn(process.execPath, [MAIN], {
      env: {
        ...process.env,
        MONGODB_URL: stores.mongodbUrl,
        PORT: '0',
        RATE_LIMIT_DISABLED: 'true',
        API_PROCESSES: '1',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    await until(() => output.includes('"Listening"'));
    const url = /"url":"([^"]+)"/.exec(output)?.[1] ?? '';
    return { child, url };
  }

  it('drops no request on SIGTERM under load, and exits 0', async function () {
    // The test is repeated, because a client that was held up for longer than connections are kept after the signal may
    // be cut.
    this.retries(9);
    const { child, url } = await start({ CACHE_MEGABYTES: '0' });
    const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
    let answered = 0;
    let cut = 0;
    const load = async (): Promise<void> => {
      for (;;) {
        const outcome = await fetchOne(`${url}/api/threads/1`, agent);
        if (outcome === 'refused') return;
        if (outcome === 'cut') cut += 1;
        else answered += 1;
      }
    };
    const clients = Promise.all(Array.from({ length: CLIENTS }, load));
    await until(() => answered > 200);
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    await clients;
    agent.destroy();
    expect(code).to.equal(0);
    expect(cut).to.equal(0);
  });

  it('starts, alive and not ready, with every store away', async () => {
    const { child, url } = await start({
      MONGODB_URL: 'mongodb://127.0.0.1:1/x',
      ELASTICSEARCH_URL: 'http://127.0.0.1:1',
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    expect((await fetch(`${url}/healthz`)).status).to.equal(200);
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).to.equal(503);
    expect(await ready.json()).to.deep.include({
      stores: { mongodb: 'down', elasticsearch: 'down', redis: 'down' },
    });
    expect((await fetch(`${url}/api/threads/1`)).status).to.equal(503);
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).to.equal(0);
  });
});

/** How a request ended: answered completely, refused before it was sent, or cut during the answer. */
function fetchOne(url: string, agent: Agent): Promise<'answered' | 'refused' | 'cut'> {
  return new Promise((resolve) => {
    const sent = request(url, { agent }, (response) => {
      response.resume();
      // That a store is slow is told in an answer, too.
      response.on('end', () => resolve('answered'));
      response.on('error', () => resolve('cut'));
    });
    sent.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? 'refused' : 'cut'),
    );
    sent.end();
  });
}
