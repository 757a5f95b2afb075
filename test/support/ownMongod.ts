import { join } from 'node:path';
import { MongoClient, type Document } from 'mongodb';
import { cacheFolder } from '../../services/local/cacheFolder.js';
import { createChildren } from '../../services/local/children.js';
import { serverEnv } from '../../services/local/localServer.js';
import { freePort } from '../../services/local/ports.js';
import { resolvePrograms } from '../../services/local/resolvePrograms.js';
import { waitUntilReady } from '../../services/local/waitUntilReady.js';

/** A MongoDB with a setup that the local one never has. */
export interface OwnMongod {
  /** `host:port`. */
  host: string;
  /** Runs a command on the database `admin` without a user, and resolves with the answer. */
  ask(command: Document): Promise<Document>;
  stop(): Promise<void>;
}

/** Starts mongod with these arguments, a port and a folder. The caller removes the folder. */
export async function startOwnMongod(folder: string, args: string[]): Promise<OwnMongod> {
  const children = createChildren();
  const { env } = process;
  const report = { line: () => undefined, progress: () => undefined };
  const fetching = { env, cache: await cacheFolder(env), logs: folder, children, report };
  const wanted = { mongodb: true, elasticsearch: false, redis: false };
  const { mongodb: command } = await resolvePrograms(wanted, fetching);
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const network = ['--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'];
  const child = children.spawn({
    command: command!,
    args: [...network, '--dbpath', folder, '--wiredTigerCacheSizeGB', '0.25', ...args],
    cwd: folder,
    env: serverEnv(env),
    logFile: join(folder, 'mongod.log'),
  });
  const ask = async (asked: Document, waitMs = 60_000): Promise<Document> => {
    const client = new MongoClient(`mongodb://${host}/?directConnection=true`, {
      serverSelectionTimeoutMS: waitMs,
    });
    try {
      return await client.db('admin').command(asked);
    } finally {
      await client.close();
    }
  };
  try {
    await waitUntilReady('MongoDB', child, async () => !!(await ask({ ping: 1 }, 2_000)), 60_000);
  } catch (error) {
    await children.stopAll();
    throw error;
  }
  return { host, ask: (command) => ask(command), stop: () => children.stopAll() };
}
