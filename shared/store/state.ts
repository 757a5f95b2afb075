import type { Collection } from 'mongodb';

/** A number that only rises: the version of builds, or the time of live data. */
export interface CounterState<Id extends 'version' | 'live'> {
  _id: Id;
  value: number;
}

/**
 * What erasures need: the random key of the hashes of erased people, made once for an archive, and a version that rises
 * with each erasure.
 */
export interface ErasureState {
  _id: 'erasures';
  salt: string;
  version: number;
}

/** The version of the opt-outs. It rises whenever somebody is left out of a server, or is shown again. */
export interface OptOutState {
  _id: 'optOuts';
  version: number;
}

/**
 * A random id of this archive, made once. The mirror holds the id, too. By it, the archive recognises its own mirror.
 */
export interface ArchiveState {
  _id: 'archive';
  id: string;
}

/** A random key of this archive. It is made once, and shared by all processes. */
export interface SecretState {
  /** What it signs. */
  _id: 'cursors';
  /** 32 random bytes, hexadecimal. */
  secret: string;
}

/** The state of a rebuild of the search index. It is kept until the next one is asked for. */
export interface SearchRebuild {
  id: string;
  state: 'queued' | 'running' | 'done' | 'failed';
  phase: 'scan' | 'verify' | 'swap' | 'done';
  requestedAt: Date;
  finishedAt?: Date;
  /**
   * When the process that runs it last showed that it is alive, by MongoDB's clock. Of a rebuild that waits in the
   * queue: when it was asked for.
   */
  beatAt: Date;
  /** The process that runs the rebuild. Another process takes over with a new value, and the earlier one then stops. */
  runner?: string;
  /** The index that was behind the alias (absent if that was lost), and the index that is built. */
  from?: string | undefined;
  to?: string | undefined;
  /** The last thread scanned; empty before the first. */
  cursor: string;
  /** How many threads were scanned, how many there are, and how many search documents were written from them. */
  threads: number;
  totalThreads: number;
  documents: number;
  /** Threads whose documents differed when checked, and were written again. */
  mended: number;
  error?: string;
}

/** Which search indexes are written to. */
export interface SearchGenerations {
  _id: 'search';
  /** The indexes that every write goes to. Empty means only the index behind the alias. */
  targets: string[];
  /** The index that was replaced. It is written to until `until`, and then dropped. */
  retained?: { index: string; until: Date };
  /**
   * The number of the generation that was begun last. Numbers are never used again, so a late request of an earlier
   * rebuild can never be about the index of a later one. Absent before the first rebuild.
   */
  generation?: number;
  rebuild?: SearchRebuild;
}

/** Which process speaks to the platform. There is one at a time. */
export interface SyncLease {
  _id: 'sync';
  holder: string;
  /** When the lease ends, by MongoDB's clock. A process that does not renew it until then has ended. */
  until: Date;
  /** Why nothing can be synced at all. */
  problem: string | null;
  /** Why the platform did not answer lately, or may not be asked, and until when this is told. */
  away?: { problem: string; until: Date };
  /** How many messages were fetched a second, lately. */
  perSecond: number;
}

/** A session of the gateway. The next process with the lease goes on with it. */
export interface GatewaySession {
  id: string;
  /** The address where it is resumed. */
  url: string;
  /** The id of the bot's account. */
  botId: string;
  /** What events it sends. Resuming it does not change that. Absent in sessions of earlier versions. */
  intents?: number;
  /** The number of an event. This event and all before it are recorded. */
  seq: number;
  /** Since when events tell of every change. */
  since: Date;
}

/** The state of the gateway. */
export interface GatewayState {
  _id: 'gateway';
  /**
   * When the process whose state this is took the state over, in the time of live data. Only that process changes it.
   * Absent in states of earlier versions.
   */
  takenAt?: number;
  /** Null where the next connection has to start a new one. */
  session: GatewaySession | null;
  /** When a session was last asked for, by MongoDB's clock. */
  identifiedAt?: Date;
  /** Null while there is no connection. */
  connectedAt: Date | null;
  lastEventAt: Date | null;
  /** How many received events are not recorded yet. */
  waiting: number;
  /** Why no events come, and what to do. */
  problem: string | null;
}

/** What the mirror holds, and how it stands. */
export interface MirrorState {
  _id: 'mirror';
  /** How many files are copied, and how many bytes they have. */
  files: number;
  bytes: number;
  /** How many files cannot be copied, or could not yet. */
  failed: number;
  /** The settings with which all files were last checked. Absent while there is no mirror. */
  settings?: string;
  /** When the files of the mirror were last compared with the records. */
  checkedAt?: Date;
  /** Why nothing is copied or removed now. */
  problem?: string;
  /** When removing copies or checking the mirror last failed. */
  failedAt?: Date;
}

/** A restore that goes on, or was cut off. */
export interface RestoreState {
  _id: 'restore';
  /** What is being written. The views come after all records. */
  step: 'records' | 'views';
  startedAt: Date;
}

/**
 * The renderer and the settings with which the views are made, as the last indexer has recorded them, in words for
 * people. Earlier versions recorded the renderer alone.
 */
export interface ViewsState {
  _id: 'views';
  renderer: number;
  resolvedTags?: string;
  mirror?: string;
  publicUrl?: string;
  /** The other renderers and settings that some of the views may be made with. Empty once there are no such views. */
  others: (number | string)[];
}

/** The documents of the collection `state`, by id. There is one of each. */
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
  restore: RestoreState;
  views: ViewsState;
}

export type StateRecord = StateRecords[keyof StateRecords];

/** The collection `state`, typed for one of its documents. */
export function stateOf<Id extends keyof StateRecords>(
  state: Collection<StateRecord>,
  _id: Id,
): Collection<StateRecords[Id]> {
  return state as unknown as Collection<StateRecords[Id]>;
}
