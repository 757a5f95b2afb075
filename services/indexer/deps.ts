import type { Client } from '@elastic/elasticsearch';
import type { Collections } from '../../shared/store/collections.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { AskOutcome } from '../../shared/discordApi/platformClient.js';
import type { Mirror } from './mirror/mirror.js';
import type { Announcer } from './stores/announcer.js';
import type { Commit } from './work/commit.js';
import type { ServiceLinks } from './views/serviceLinks.js';
import type { SearchWriter } from './stores/searchWriter.js';

/** The access to what is stored, for reading and for changing it. */
export interface StoreAccess {
  collections: Collections;
  /** Carries out changes of the archive in transactions. */
  commit: Commit;
  search: SearchWriter;
}

/** The dependencies of the write side. */
export interface IndexerDeps extends StoreAccess {
  /** Another access to the same stores, for work that readers wait for. */
  first: StoreAccess;
  elasticsearch: Client;
  /** The database's name. It is also the prefix of the names of search indexes. */
  namespace: string;
  announcer: Announcer;
  logger: Logger;
  /** Aborted with ProcessStops when the process stops. What waits or rests then ends with that error. */
  signal: AbortSignal;
  resolvedTags: ReadonlySet<string>;
  /** Makes the addresses at which readers find files. */
  links: ServiceLinks;
  /** The copies of the platform's files; null where files are not copied. */
  mirror: Mirror | null;
  /** Counts what this process does. */
  counters?: WriteCounters;
}

/** What an indexer counts for its metrics. */
export interface WriteCounters {
  /** A thread was built. */
  threadBuilt(): void;
  /** An event of the platform was recorded, this long (seconds) after it was received. */
  eventRecorded(seconds: number): void;
  /** The platform was asked, with this outcome. */
  platformAsked(outcome: AskOutcome): void;
}
