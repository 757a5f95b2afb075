import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { MongoClient, MongoServerError, type Document } from 'mongodb';
import {
  serverEnv,
  type LocalServer,
  type ServerContext,
} from '../../../services/local/localServer.js';
import { freePort } from '../../../services/local/ports.js';
import { waitUntilReady } from '../../../services/local/waitUntilReady.js';
import { ownServer, type OwnServer } from '../../support/ownServers.js';

const MEMBERS = 3;
const NAME = 'rs0';
const ALREADY_INITIALIZED = 23;

/** A MongoDB replica set of three members on this machine. */
export interface ReplicaSet {
  members: OwnServer[];
  /** `host:port` of each member, separated by commas. */
  hosts: string;
  /** The member that takes writes. It waits while there is none. */
  primary(): Promise<OwnServer>;
}

/** Starts the members, each with a cache of 0.25 GB. Resolves when they have a primary. */
export async function startReplicaSet(
  program: string,
  context: ServerContext,
): Promise<ReplicaSet> {
  const ports: number[] = [];
  while (ports.length < MEMBERS) ports.push(await freePort());
  const members = await Promise.all(
    ports.map((port, n) => ownServer(() => startMember(program, port, n, context))),
  );
  const hosts = ports.map((port) => `127.0.0.1:${port}`);
  await initiate(hosts);
  const primary = async (): Promise<OwnServer> => {
    for (;;) {
      const states = await Promise.all(members.map(({ url }) => ask(url, { hello: 1 })));
      const index = states.findIndex((state) => state?.['isWritablePrimary'] === true);
      if (index >= 0) return members[index]!;
      await pause(200);
    }
  };
  await primary();
  return { members, hosts: hosts.join(','), primary };
}

async function startMember(
  program: string,
  port: number,
  n: number,
  { env, dataDir, logs, children }: ServerContext,
): Promise<LocalServer> {
  const folder = join(dataDir, `mongodb-${n}`);
  await mkdir(folder, { recursive: true });
  const network = ['--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'];
  const storage = ['--dbpath', folder, '--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '256'];
  const child = children.spawn({
    command: program,
    args: [...network, ...storage, '--replSet', NAME, '--noscripting'],
    cwd: folder,
    env: serverEnv(env),
    logFile: join(logs, `mongodb-${n}.log`),
  });
  const url = `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const answers = async (): Promise<boolean> => (await ask(url, { ping: 1 })) !== undefined;
  await waitUntilReady('MongoDB', child, answers, 120_000);
  return { name: 'MongoDB', url, child };
}

async function initiate(hosts: string[]): Promise<void> {
  const members = hosts.map((host, _id) => ({ _id, host }));
  const config = { _id: NAME, members, settings: { electionTimeoutMillis: 3_000 } };
  await withClient(`mongodb://${hosts[0]!}/?directConnection=true`, async (client) => {
    await client.db('admin').command({ replSetInitiate: config });
  }).catch((error: unknown) => {
    if (!(error instanceof MongoServerError) || error.code !== ALREADY_INITIALIZED) throw error;
  });
}

/** The answer of a member to a command; undefined where it does not answer. */
export function ask(url: string, command: Document): Promise<Document | undefined> {
  return withClient(url, (client) => client.db('admin').command(command)).catch(() => undefined);
}

async function withClient<T>(url: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 2_000, socketTimeoutMS: 10_000 });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
