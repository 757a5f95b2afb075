import { cacheFolder } from '../../services/local/cacheFolder.js';
import { createChildren } from '../../services/local/children.js';
import { startElasticsearch } from '../../services/local/elasticsearch.js';
import type { LocalServer, ServerContext } from '../../services/local/localServer.js';
import { startMongodb } from '../../services/local/mongodb.js';
import { freePort } from '../../services/local/ports.js';
import { startRedis } from '../../services/local/redis.js';
import { resolvePrograms, type Programs } from '../../services/local/resolvePrograms.js';
import { startProxy } from './apiProxy.js';

/** A store that a test may take away and bring back. */
export interface OwnStore {
  url: string;
  /** Alive, its port open, and silent. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Gone, its port closed. */
  kill(): Promise<void>;
  /** Back where it was, with what it had stored; resolves when it is ready. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

type Start = (context: ServerContext) => Promise<LocalServer>;

/** A server process of this test alone, its data in a folder. */
export async function startOwnStore(name: keyof Programs, dataDir: string): Promise<OwnStore> {
  const { env } = process;
  const children = createChildren();
  const context: ServerContext = { env, dataDir, logs: `${dataDir}/logs`, children };
  const start = await starter(name, context);
  let server = await start(context);
  const signal = async (sent: NodeJS.Signals): Promise<void> => {
    const pid = await server.child.pid;
    // The whole group: Elasticsearch is a child of its launcher.
    if (pid !== undefined) process.kill(-pid, sent);
  };
  return {
    url: server.url,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async kill() {
      await signal('SIGKILL');
      await server.child.exited;
    },
    async restart() {
      server = await start(context);
    },
    async close() {
      await signal('SIGCONT').catch(() => undefined);
      await children.stopAll();
    },
  };
}

async function starter(
  name: keyof Programs,
  { env, logs, children }: ServerContext,
): Promise<Start> {
  const none = { mongodb: false, elasticsearch: false, redis: false };
  const report = { line: () => undefined, progress: () => undefined };
  const cache = await cacheFolder(env);
  const given = { env, cache, logs, children, report };
  const programs = await resolvePrograms({ ...none, [name]: true }, given);
  const port = await freePort();
  if (name === 'mongodb') return (context) => startMongodb(programs.mongodb!, port, context);
  if (name === 'redis') return (context) => startRedis(programs.redis!, port, context);
  const ports = { http: port, transport: await freePort() };
  return (context) => startElasticsearch(programs.elasticsearch!, ports, context);
}

/** A server that others use as well, taken away from whoever asks it through this address alone. */
export async function proxiedStore(url: string): Promise<OwnStore> {
  const { protocol, hostname, port } = new URL(url);
  const proxy = await startProxy({ host: hostname, port: Number(port) });
  return {
    url: `${protocol}//127.0.0.1:${proxy.port}`,
    freeze() {
      proxy.freeze();
      return Promise.resolve();
    },
    thaw() {
      proxy.thaw();
      return Promise.resolve();
    },
    kill: () => proxy.cut(),
    restart: () => proxy.mend(),
    close: () => proxy.close(),
  };
}
