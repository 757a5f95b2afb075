import { keepIndexes } from '../../services/indexer/keepIndexes.js';
import { readSettings } from '../../shared/platform/env.js';
import { ensureSearchIndex } from '../../shared/store/searchIndex.js';
import { startApi, type ApiOptions, type ApiServer } from './apiServer.js';
import type { CommandResult } from './runCli.js';
import { runIndexer } from './runIndexer.js';
import { runOnHost } from './runOnHost.js';
import { removeSearchAndKeys } from './stores.js';

/** A whole archive over the real servers. Its indexer and its API run in this process. */
export interface TestArchive {
  api: ApiServer;
  /** What the indexer logged as warnings or errors, except that a store did not answer in time. */
  problems: string[];
  /** Runs the command line on this archive. */
  cli(...args: string[]): Promise<CommandResult>;
  /** A JSON answer. Throws unless its status is 200. */
  json<T>(path: string): Promise<T>;
  close(): Promise<void>;
}

/** Starts an empty archive. */
export async function startArchive(options: ApiOptions = {}): Promise<TestArchive> {
  const settings = readSettings({ ...process.env, ...options.env });
  const api = await startApi(options);
  const { mongo, elasticsearch, mongodbUrl } = api.stores;
  await keepIndexes(mongo, settings);
  await ensureSearchIndex(elasticsearch, mongo.namespace);
  const indexer = await runIndexer(api.stores, settings);
  return {
    api,
    problems: indexer.problems,
    cli: (...args) => runOnHost({ MONGODB_URL: mongodbUrl }, args),
    async json<T>(path: string) {
      const reply = await api.get(path);
      if (reply.status !== 200)
        throw new Error(`${path} answered ${reply.status}: ${reply.body.toString()}`);
      return reply.json() as T;
    },
    async close() {
      await indexer.stop();
      await removeSearchAndKeys(api.stores);
      await api.close();
    },
  };
}
