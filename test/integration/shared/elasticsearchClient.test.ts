import { expect } from 'chai';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { createElasticsearch } from '../../../shared/platform/createElasticsearch.js';
import { readSettings } from '../../../shared/platform/env.js';
import { isStoreAway } from '../../../shared/platform/storeErrors.js';
import { startProxy } from '../../support/apiProxy.js';
import { until } from '../../support/apiServer.js';

/** A request is given up after this time. On a busy machine that may happen to a good one, which is then repeated. */
const LIMIT = { timeoutMs: 1_000 };
/** How a request fails; null where it does not. One that never ends makes its test exceed its time limit. */
function failureOf(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    () => null,
    (error: unknown) => error,
  );
}

/** Makes some requests, a few at a time. Each is repeated until it is answered. */
async function askUntilAnswered(ask: () => Promise<unknown>, count: number): Promise<void> {
  let left = count;
  const asker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await until(async () => (await failureOf(ask())) === null);
    }
  };
  await Promise.all(Array.from({ length: 10 }, asker));
}

describe('createElasticsearch', () => {
  it('ends requests on connections that fall silent, and repeats them on others', async () => {
    const { protocol, hostname: host, port } = new URL(readSettings().ELASTICSEARCH_URL);
    const proxy = await startProxy({ host, port: Number(port) });
    const ELASTICSEARCH_URL = `${protocol}//127.0.0.1:${proxy.port}`;
    const client = createElasticsearch({ ELASTICSEARCH_URL }, LIMIT);
    const askAll = (): Promise<unknown>[] => Array.from({ length: 50 }, () => client.info());
    try {
      for (const silence of [1, 2, 3]) {
        await askUntilAnswered(() => client.info(), 50);
        proxy.strand();
        const failures = await Promise.all(askAll().map(failureOf));
        const failed = failures.filter((failure) => failure !== null);
        expect(failed, `silence ${silence}`).to.not.have.length(0);
        expect(failed.filter((failure) => !isStoreAway(failure))).to.deep.equal([]);
      }
      await askUntilAnswered(() => client.info(), 50);
    } finally {
      await client.close();
      await proxy.close();
    }
  });

  /** How a ping of this server fails. The client must be able to close afterwards. */
  async function failureOfPing(server: Server): Promise<unknown> {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const client = createElasticsearch(
      { ELASTICSEARCH_URL: `http://127.0.0.1:${port}` },
      { timeoutMs: 60_000 },
    );
    try {
      return await failureOf(client.ping());
    } finally {
      await client.close();
      await new Promise((resolve) => server.close(resolve));
    }
  }

  it('fails at once, and can be closed, where the server does not speak HTTP', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined).resume();
      socket.end('SSH-2.0-OpenSSH_9.6\r\n');
    });
    const failure = await failureOfPing(server);
    expect(failure).to.have.property('message', 'The answer is no HTTP');
    expect(isStoreAway(failure)).to.equal(true);
  });

  for (const status of [301, 302, 401, 403, 404, 503])
    it(`tells that a ping was answered with ${status}`, async () => {
      const server = createServer((_request, response) =>
        response.writeHead(status, { Location: '/' }).end(),
      );
      expect(await failureOfPing(server))
        .to.have.property('message')
        .that.includes(String(status));
    });

  it('asks another node where one does not answer', async () => {
    const { ELASTICSEARCH_URL: url } = readSettings();
    // Nothing listens on the first port.
    const client = createElasticsearch(
      { ELASTICSEARCH_URL: `http://127.0.0.1:1,${url}` },
      { timeoutMs: 120_000 },
    );
    try {
      for (let n = 0; n < 10; n += 1) expect(await client.ping()).to.equal(true);
    } finally {
      await client.close();
    }
  });

  it('ends requests whose answers stop in the middle, and receives later answers', async () => {
    let stops = true;
    const server = createServer((_request, response) => {
      response.setHeader('X-Elastic-Product', 'Elasticsearch');
      response.setHeader('Content-Type', 'application/json');
      response.write('{"count":');
      if (!stops) response.end('1}');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const ELASTICSEARCH_URL = `http://127.0.0.1:${port}`;
    const client = createElasticsearch({ ELASTICSEARCH_URL }, LIMIT);
    const askAll = (): Promise<unknown>[] => Array.from({ length: 300 }, () => client.count());
    try {
      const failures = await Promise.all(askAll().map(failureOf));
      expect(failures.filter(isStoreAway)).to.have.length(300);
      stops = false;
      await askUntilAnswered(() => client.count(), 300);
    } finally {
      server.closeAllConnections();
      server.close();
      await client.close();
    }
  });
});
