import { join } from 'node:path';
import type { FetchContext } from '../../services/local/fetchArtifact.js';
import { freePort } from '../../services/local/ports.js';
import { waitUntilReady } from '../../services/local/waitUntilReady.js';
import { buildGoProgram } from '../support/buildGoProgram.js';

const TOXIPROXY = {
  module: 'github.com/Shopify/toxiproxy/v2/cmd/server@v2.12.0',
  folder: 'toxiproxy-2.12.0',
  file: 'server',
};

/** A disturbance of a connection: https://github.com/Shopify/toxiproxy#toxics. */
export interface Toxic {
  type: 'latency' | 'bandwidth' | 'timeout' | 'reset_peer' | 'limit_data' | 'slicer';
  stream: 'upstream' | 'downstream';
  attributes: Record<string, number>;
  /** The part of all connections that it affects, 0 to 1. */
  toxicity?: number;
}

/** A TCP proxy in front of a store. */
export interface Proxy {
  /** `host:port` to connect to, in place of the store. */
  address: string;
  poison(toxic: Toxic): Promise<void>;
  /** Refuses connections, and cuts open ones. */
  disable(): Promise<void>;
  /** Ends all disturbances. */
  heal(): Promise<void>;
}

export interface Toxiproxy {
  /** Makes a proxy to `host:port`. */
  proxyTo(name: string, upstream: string): Promise<Proxy>;
}

/** Starts a toxiproxy among the children of a test. */
export async function startToxiproxy(fetching: FetchContext): Promise<Toxiproxy> {
  const command = await buildGoProgram(TOXIPROXY, fetching);
  const port = await freePort();
  const api = `http://127.0.0.1:${port}`;
  const { env, logs, children } = fetching;
  const child = children.spawn({
    command,
    args: ['-host', '127.0.0.1', '-port', String(port)],
    env: { PATH: env['PATH'], LOG_LEVEL: 'error' },
    logFile: join(logs, 'toxiproxy.log'),
  });
  const isUp = async (): Promise<boolean> => (await fetch(`${api}/version`)).ok;
  await waitUntilReady('Toxiproxy', child, isUp, 20_000);
  return { proxyTo: (name, upstream) => createProxy(api, name, upstream) };
}

async function createProxy(api: string, name: string, upstream: string): Promise<Proxy> {
  const address = `127.0.0.1:${await freePort()}`;
  await send(api, 'POST', '/proxies', { name, upstream, listen: address, enabled: true });
  const path = `/proxies/${name}`;
  return {
    address,
    async poison(toxic) {
      await send(api, 'POST', `${path}/toxics`, { toxicity: 1, ...toxic });
    },
    async disable() {
      await send(api, 'POST', path, { enabled: false });
    },
    async heal() {
      const { toxics } = (await send(api, 'GET', path)) as { toxics: { name: string }[] };
      for (const toxic of toxics) await send(api, 'DELETE', `${path}/toxics/${toxic.name}`);
      await send(api, 'POST', path, { enabled: true });
    },
  };
}

async function send(api: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${api}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Toxiproxy answered ${response.status} for ${path}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}
