import type { LRUCache } from 'lru-cache';
import type { LiveRole, LiveThread } from '../../../shared/discordApi/answerTypes.js';
import type { PlatformClient } from '../../../shared/discordApi/platformClient.js';
import type { SourceThread } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import type { Turns } from '../jobs/oneAtATime.js';
import type { LiveClock } from '../stores/liveClock.js';
import type { Meter } from './meter.js';
import type { Removals } from './removals.js';

/** What the sync works with, for as long as its process holds the lease. */
export interface SyncDeps extends IndexerDeps {
  platform: PlatformClient;
  clock: LiveClock;
  /** Channels that the operator names, to be archived whatever their rules. */
  named: ReadonlySet<string>;
  /** Aborted when the process ends, or has lost the lease: nothing more is asked for. */
  signal: AbortSignal;
  meter: Meter;
  /** Ids or names of the roles whose bearers are left out. */
  optOutRoles: readonly string[];
  /** Whether somebody is left out, by `<serverId>/<userId>`, as this process has learnt it: it alone changes that. */
  members: LRUCache<string, boolean>;
  /** The servers that were looked at since the lease was taken. */
  servers: Map<string, LoadedServer>;
  /** Who looks at a server, or notes somebody's roles, waits for the others that do: what is told last is noted last. */
  turns: Turns;
  removals: Removals;
  /** Forums that looks have found long withheld: what was said there is to be removed. */
  longWithheld: Set<string>;
  /** Forums whose archived threads were listed to the end since the lease was taken. */
  listed: Set<string>;
  /** Since when events have told everything that has changed; null while they do not. */
  listening: { since: Date | null };
}

/** A server as the platform told it, with its forums that are archived. */
export interface LoadedServer {
  serverId: string;
  asOf: number;
  told: SourceThread['server'];
  channels: Map<string, SourceThread['channel']>;
  roleNames: ReadonlyMap<string, string>;
  /** Ids of its roles whose bearers are left out. */
  optOutRoles: ReadonlySet<string>;
  /** As the platform told them, by id. */
  roles: ReadonlyMap<string, LiveRole>;
}

/** Threads of one answer. */
export interface ToldThreads {
  threads: readonly LiveThread[];
  asOf: number;
}

/** Ids of the forums that are archived, of all servers that were looked at. */
export function channelsOf(servers: SyncDeps['servers']): string[] {
  return [...servers.values()].flatMap((server) => [...server.channels.keys()]);
}
