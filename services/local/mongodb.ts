import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient, MongoServerError, type Db } from 'mongodb';
import { serverEnv, type LocalServer, type ServerContext } from './localServer.js';
import { waitUntilReady } from './waitUntilReady.js';

const REPLICA_SET = 'rs0';
const NOT_YET_INITIALIZED = 94;

/** Starts mongod as the primary of a replica set with one node, so that transactions work. */
export async function startMongodb(
  program: string,
  port: number,
  { env, dataDir, logs, children }: ServerContext,
): Promise<LocalServer> {
  const folder = join(dataDir, 'mongodb');
  await mkdir(folder, { recursive: true });
  const child = children.spawn({
    command: program,
    args: mongodArguments(folder, port),
    cwd: folder,
    env: serverEnv(env),
    logFile: join(logs, 'mongodb.log'),
    graceMs: 20_000,
  });
  const host = `127.0.0.1:${port}`;
  await waitUntilReady('MongoDB', child, () => isPrimary(host), 60_000);
  return { name: 'MongoDB', url: `mongodb://${host}/forum-archive?directConnection=true`, child };
}

/**
 * An option that has MongoDB close files which were not used for ten seconds. By default it keeps the files of dropped
 * collections open for long, and each open file makes every transaction slower. After tests have made and dropped 120
 * databases, a transaction takes 2.8 ms of CPU in place of 0.8. MongoDB keeps 250 files open in any case. One archive
 * has fewer.
 */
const FEW_OPEN_FILES =
  'file_manager=(close_idle_time=10,close_scan_interval=5,close_handle_minimum=250)';

function mongodArguments(folder: string, port: number): string[] {
  const network = ['--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'];
  const storage = ['--dbpath', folder, '--wiredTigerCacheSizeGB', '0.5', '--oplogSize', '512'];
  const engine = ['--wiredTigerEngineConfigString', FEW_OPEN_FILES];
  // This service runs no JavaScript on the server, so the server is told to allow none.
  return [...network, ...storage, ...engine, '--replSet', REPLICA_SET, '--noscripting'];
}

// Each attempt makes a new client, because a client stays unusable once its first connection has failed.
async function isPrimary(host: string): Promise<boolean> {
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`, {
    serverSelectionTimeoutMS: 1000,
  });
  try {
    return await isConfiguredPrimary(client.db('admin'), host);
  } finally {
    await client.close();
  }
}

// A data folder is initiated once. Where its port has changed since, the replica set is told its new address.
async function isConfiguredPrimary(admin: Db, host: string): Promise<boolean> {
  const hello = await admin.command({ hello: 1 });
  const known = hello['hosts'] as string[] | undefined;
  if (known?.[0] === host) return hello['isWritablePrimary'] === true;
  await configure(admin, host);
  return false;
}

async function configure(admin: Db, host: string): Promise<void> {
  try {
    const { config } = (await admin.command({ replSetGetConfig: 1 })) as {
      config: { version: number; members: { host: string }[] };
    };
    if (config.members[0]?.host === host) return;
    const members = config.members.slice(0, 1).map((member) => ({ ...member, host }));
    const changed = { ...config, version: config.version + 1, members };
    await admin.command({ replSetReconfig: changed, force: true });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NOT_YET_INITIALIZED) throw error;
    const members = [{ _id: 0, host }];
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members } });
  }
}
