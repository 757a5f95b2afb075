import type { Collection } from 'mongodb';

/** A number that only rises: the version of what is built, or the time that live data counts as of. */
export interface CounterState<Id extends 'version' | 'live'> {
  _id: Id;
  value: number;
}

/**
 * The random key of the hashes of who was erased, made once for an archive, and a number that rises with each erasure.
 */
export interface ErasureState {
  _id: 'erasures';
  salt: string;
  version: number;
}

/** A number that rises whenever somebody is left out of a server, or is not any more. */
export interface OptOutState {
  _id: 'optOuts';
  version: number;
}

/** A random id of this archive, made once. Its mirror holds the id, too, so the archive knows its own mirror again. */
export interface ArchiveState {
  _id: 'archive';
  id: string;
}

/** A random key of this archive. It is made once, and all processes share it. */
export interface SecretState {
  /** What it signs. */
  _id: 'cursors';
  /** 32 random bytes, hexadecimal. */
  secret: string;
}

/** How a rebuild of the search index stands. Kept until the next one is asked for. */
export interface SearchRebuild {
  id: string;
  state: 'queued' | 'running' | 'done' | 'failed';
  phase: 'scan' | 'verify' | 'swap' | 'done';
  requestedAt: Date;
  finishedAt?: Date;
  /** When its runner last saved its progress. */
  beatAt: Date;
  /** Changes with each process that runs the rebuild. Only the latest process may go on. */
  runner?: string;
  /** The index behind the alias before, if that was not lost, and the one being built. */
  from?: string | undefined;
  to?: string;
  /** The last thread scanned; empty before the first. */
  cursor: string;
  /** Threads scanned so far, of how many, and the search documents written from them. */
  threads: number;
  totalThreads: number;
  documents: number;
  /** Threads whose documents differed when checked, and were written again. */
  mended: number;
  error?: string;
}

/** The one record of which search indexes are written to. */
export interface SearchGenerations {
  _id: 'search';
  /** Indexes that every write goes to; empty while that is the one behind the alias alone. */
  targets: string[];
  /** The index that was replaced, written to until then and dropped. */
  retained?: { index: string; until: Date };
  rebuild?: SearchRebuild;
}

/** Who speaks to the platform: one process at a time. */
export interface SyncLease {
  _id: 'sync';
  holder: string;
  /** By MongoDB's clock. Who does not renew it until then has ended. */
  until: Date;
  /** Why nothing can be synced at all. */
  problem: string | null;
  /** Messages fetched in a second, lately. */
  perSecond: number;
}

/** A session of the gateway: whoever holds the lease goes on with it. */
export interface GatewaySession {
  id: string;
  /** Where it is resumed. */
  url: string;
  /** The bot's own account. */
  botId: string;
  /** What it tells: a resume changes nothing of that. Absent in a session of an earlier version. */
  intents?: number;
  /** The number of the last event before which all are recorded. */
  seq: number;
  /** Events tell everything that has changed since then. */
  since: Date;
}

/** How the gateway stands. */
export interface GatewayState {
  _id: 'gateway';
  /** Null where the next connection starts another. */
  session: GatewaySession | null;
  /** When a session was last asked for, by MongoDB's clock. */
  identifiedAt?: Date;
  /** Null while there is no connection. */
  connectedAt: Date | null;
  lastEventAt: Date | null;
  /** Events received that are not recorded yet. */
  waiting: number;
  /** Why no events come, and what to do. */
  problem: string | null;
}

/** What the mirror holds. */
export interface MirrorState {
  _id: 'mirror';
  /** Files copied, and their bytes. */
  files: number;
  bytes: number;
  /** Files that cannot be copied, or could not yet. */
  failed: number;
  /** By which settings everything was last looked through; absent while there is no mirror. */
  settings?: string;
  /** When its files were last compared with the records. */
  checkedAt?: Date;
  /** Why nothing is copied or removed now. */
  problem?: string;
  /** When copies could last not be removed or looked through. */
  failedAt?: Date;
  /** Set while a restore goes on, until all views are built: only then is it known which files are shown. */
  restoring?: true;
}

/** The documents of the collection `state`, by id: there is one of each. */
export interface StateRecords {
  version: CounterState<'version'>;
  live: CounterState<'live'>;
  erasures: ErasureState;
  optOuts: OptOutState;
  archive: ArchiveState;
  cursors: SecretState;
  search: SearchGenerations;
  sync: SyncLease;
  gateway: GatewayState;
  mirror: MirrorState;
}

export type StateRecord = StateRecords[keyof StateRecords];

/** The collection `state`, typed for one of its documents. */
export function stateOf<Id extends keyof StateRecords>(
  state: Collection<StateRecord>,
  _id: Id,
): Collection<StateRecords[Id]> {
  return state as unknown as Collection<StateRecords[Id]>;
}
