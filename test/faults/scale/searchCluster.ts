import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  startElasticsearch,
  type ElasticsearchProgram,
} from '../../../services/local/elasticsearch.js';
import type { ServerContext } from '../../../services/local/localServer.js';
import { freePort } from '../../../services/local/ports.js';
import { ownServer, type OwnServer } from '../../support/ownServers.js';

/** Two Elasticsearch nodes in one cluster. The first one is the master. Both hold data. */
export interface SearchCluster {
  nodes: [OwnServer, OwnServer];
  /** The addresses of both nodes, as ELASTICSEARCH_URL takes them. */
  urls: string;
}

/** Starts both nodes. Resolves when they have found each other. */
export async function startSearchCluster(
  program: ElasticsearchProgram,
  context: ServerContext,
): Promise<SearchCluster> {
  const ports = [
    { http: await freePort(), transport: await freePort() },
    { http: await freePort(), transport: await freePort() },
  ] as const;
  const seeds = ports.map(({ transport }) => `"127.0.0.1:${transport}"`).join(', ');
  const start = async (n: 0 | 1, more: string): Promise<OwnServer> => {
    const discovery = `node.name: node-${n}\ndiscovery.seed_hosts: [${seeds}]\n${more}`;
    const own = { ...context, dataDir: join(context.dataDir, `node-${n}`) };
    await mkdir(own.dataDir);
    return ownServer(() => startElasticsearch(program, ports[n], own, discovery));
  };
  // They start one after the other, because a node that starts uses all cores of a small machine.
  const master = await start(0, 'cluster.initial_master_nodes: [node-0]');
  const nodes: SearchCluster['nodes'] = [master, await start(1, 'node.roles: [data]')];
  return { nodes, urls: nodes.map(({ url }) => url).join(',') };
}
