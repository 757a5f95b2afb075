import type { Client } from '@elastic/elasticsearch';
import type { Collections } from '../../shared/store/collections.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { AskOutcome } from '../../shared/discordApi/platformClient.js';
import type { Announcer } from './stores/announcer.js';
import type { Commit } from './work/commit.js';
import type { SearchWriter } from './stores/searchWriter.js';

/** What the write side works with. */
export interface IndexerDeps {
  collections: Collections;
  /** Carries out changes of the archive in transactions. */
  commit: Commit;
  search: SearchWriter;
  elasticsearch: Client;
  /** The database's name: also the prefix of search indexes. */
  namespace: string;
  announcer: Announcer;
  logger: Logger;
  resolvedTags: ReadonlySet<string>;
  /** Where readers reach the API, without a slash at the end. */
  publicUrl: string;
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
