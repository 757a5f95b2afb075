import { get } from 'node:http';
import { expect } from 'chai';
import { Gauge, Registry } from 'prom-client';
import { createLogger } from '../../../../shared/platform/logger.js';
import { createRegistry } from '../../../../shared/platform/metrics.js';
import { freePort } from '../../../../services/local/ports.js';
import { serveMetrics } from '../../../../services/indexer/metrics/serveMetrics.js';

const TOKEN = 'a-token-for-metrics-alone';
const SILENT = createLogger('test', 'silent');
const REMOTE = { 'X-Forwarded-For': '203.0.113.9' };

describe('serveMetrics', () => {
  let url: string;
  let close: () => Promise<void>;
  before(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    close = await serveMetrics(createRegistry(), {
      host: '127.0.0.1',
      port,
      token: TOKEN,
      logger: SILENT,
    });
  });
  after(() => close());

  async function ask(path: string, init: RequestInit = {}): Promise<[number, string | null]> {
    const reply = await fetch(`${url}${path}`, init);
    await reply.text();
    return [reply.status, reply.headers.get('Allow')];
  }

  it('is for this machine, and for callers with the token', async () => {
    expect(await ask('/metrics')).to.deep.equal([200, null]);
    expect(await ask('/metrics', { method: 'HEAD' })).to.deep.equal([200, null]);
    expect(await ask('/metrics', { headers: REMOTE })).to.deep.equal([401, null]);
    const wrong = { ...REMOTE, Authorization: 'Bearer another-token-as-long-as' };
    expect(await ask('/metrics', { headers: wrong })).to.deep.equal([403, null]);
    const right = { ...REMOTE, Authorization: `Bearer ${TOKEN}` };
    expect(await ask('/metrics', { headers: right })).to.deep.equal([200, null]);
  });

  it('is not for a page of a site whose name points to this machine', async () => {
    // `fetch` cannot send another Host.
    const status = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        get(`${url}/metrics`, { headers }, (reply) => {
          reply.resume();
          resolve(reply.statusCode);
        }).on('error', reject);
      });
    for (const Host of ['localhost:9100', '192.168.1.2:9100', '[::1]:9100', 'indexer:9100']) {
      expect(await status({ Host }), Host).to.equal(200);
    }
    const Host = 'elsewhere.example:9100';
    expect(await status({ Host })).to.equal(401);
    expect(await status({ Host, Authorization: `Bearer ${TOKEN}` })).to.equal(200);
  });

  it('answers 500 where a metric cannot be collected, and goes on', async () => {
    const registry = new Registry();
    let isDamaged = true;
    new Gauge({
      name: 'sometimes_damaged',
      help: 'It fails once',
      registers: [registry],
      collect() {
        if (isDamaged) throw new TypeError('Value is not a valid number');
      },
    });
    const port = await freePort();
    const at = { host: '127.0.0.1', port, token: undefined, logger: SILENT };
    const end = await serveMetrics(registry, at);
    const status = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).status;
    expect(await status()).to.equal(500);
    isDamaged = false;
    expect(await status()).to.equal(200);
    await end();
  });

  it('has no other path and no other method', async () => {
    for (const path of ['/', '/metrics/', '/Metrics']) {
      expect(await ask(path), path).to.deep.equal([404, null]);
    }
    for (const method of ['POST', 'DELETE', 'OPTIONS']) {
      expect(await ask('/metrics', { method }), method).to.deep.equal([405, 'GET, HEAD']);
    }
  });
});
