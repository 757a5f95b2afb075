import type { Client } from '@elastic/elasticsearch';
import type { Collections } from '../../shared/store/collections.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { AskOutcome } from '../../shared/discordApi/platformClient.js';
import type { Mirror } from './mirror/mirror.js';
import type { Announcer } from './stores/announcer.js';
import type { Commit } from './work/commit.js';
import type { ServiceLinks } from './views/serviceLinks.js';
import type { SearchWriter } from './stores/searchWriter.js';

/** How the write side reads and changes what is stored. */
export interface StoreAccess {
  collections: Collections;
  /** Carries out changes of the archive in transactions. */
  commit: Commit;
  search: SearchWriter;
}

/** What the write side works with. */
export interface IndexerDeps extends StoreAccess {
  /** Another access to the same stores, for what readers wait for. */
  first: StoreAccess;
  elasticsearch: Client;
  /** The database's name: also the prefix of search indexes. */
  namespace: string;
  announcer: Announcer;
  logger: Logger;
  resolvedTags: ReadonlySet<string>;
  /** Where readers find files. */
  links: ServiceLinks;
  /** Where files of the platform are copied; null where they are not. */
  mirror: Mirror | null;
  /** Counts what this process does. */
  counters?: WriteCounters;
}

/** What an indexer counts for its metrics. */
export interface WriteCounters {
  /** A thread was built. */
  threadBuilt(): void;
  /** An event of the platform was recorded, so many seconds after it came. */
  eventRecorded(seconds: number): void;
  /** The platform was asked, with this outcome. */
  platformAsked(outcome: AskOutcome): void;
}
