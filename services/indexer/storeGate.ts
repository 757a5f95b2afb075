import type { Client } from '@elastic/elasticsearch';
import { pingMongo, type Mongo } from '../../shared/platform/clients.js';
import type { Logger } from '../../shared/platform/logger.js';
import { watchStore, type StoreWatch } from '../../shared/platform/watchStore.js';

/** Lets work wait while a store that it writes to is away. Otherwise the work would fail again and again. */
export interface StoreGate {
  watches: { mongodb: StoreWatch; elasticsearch: StoreWatch };
  /** Resolves when both stores answer; at once where they do already. */
  open(): Promise<void>;
  readonly isOpen: boolean;
  /** Notes that some work has failed. The stores are then asked at once. */
  suspect(): void;
  stop(): void;
}

/** Imports keep a process busy. So the stores have more time to answer than in a process for readers. */
const PATIENCE = { everyMs: 1_000, limitMs: 3_000 };

/** Watches MongoDB and Elasticsearch. The queue's worker waits for Redis by itself. */
export function createStoreGate(
  mongo: Pick<Mongo, 'client' | 'db'>,
  elasticsearch: Client,
  logger: Logger,
): StoreGate {
  let waiting: (() => void)[] = [];
  const isOpen = () => Object.values(watches).every(({ isUp }) => isUp);
  const onChange = (): void => {
    if (!isOpen()) return;
    for (const enter of waiting) enter();
    waiting = [];
  };
  const pingSearch = () =>
    elasticsearch.ping({}, { requestTimeout: PATIENCE.limitMs, maxRetries: 0 });
  const common = { ...PATIENCE, logger, onChange };
  const watches = {
    mongodb: watchStore({
      ...common,
      name: 'mongodb',
      ping: () => pingMongo(mongo, PATIENCE.limitMs),
    }),
    elasticsearch: watchStore({ ...common, name: 'elasticsearch', ping: pingSearch }),
  };
  return {
    watches,
    get isOpen() {
      return isOpen();
    },
    open() {
      for (const watch of Object.values(watches)) watch.used();
      return isOpen() ? Promise.resolve() : new Promise((enter) => waiting.push(enter));
    },
    suspect() {
      for (const watch of Object.values(watches)) watch.suspect();
    },
    stop() {
      for (const watch of Object.values(watches)) watch.stop();
    },
  };
}
