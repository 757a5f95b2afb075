import type { LRUCache } from 'lru-cache';
import type { LiveGuild, LiveRole } from '../../../shared/discordApi/answerTypes.js';
import { rolesNamed } from '../../../shared/discordApi/optOutRoles.js';
import type { PlatformClient } from '../../../shared/discordApi/platformClient.js';
import type { SourceThread } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../deps.js';
import type { Turns } from '../turns.js';
import type { LiveClock } from '../stores/liveClock.js';
import type { Meter } from './meter.js';
import type { Removals } from './removals.js';

/** The objects that the sync works with while its process holds the lease. */
export interface SyncDeps extends IndexerDeps {
  platform: PlatformClient;
  clock: LiveClock;
  /** Ids of channels that the operator names. They are archived whatever their rules. */
  named: ReadonlySet<string>;
  /** Aborted when the process ends or has lost the lease. After that, the platform is asked nothing more. */
  signal: AbortSignal;
  /** Ends the whole sync with an error. */
  fail: (error: unknown) => void;
  meter: Meter;
  /** The entries of OPT_OUT_ROLE: ids or names of the roles whose bearers are left out. */
  optOutEntries: readonly string[];
  /**
   * Whether a member is left out, by `<serverId>/<userId>`, as far as this process has learnt. No other process changes
   * it.
   */
  members: LRUCache<string, boolean>;
  /** The servers that were looked at since the lease was taken. */
  servers: Map<string, LoadedServer>;
  /**
   * Looks at a server run one after the other, and so do notes of a person's roles. So what was told last is noted
   * last.
   */
  turns: Turns;
  removals: Removals;
  /** Ids of forums that were found to be withheld for a long time. Their messages are to be removed. */
  longWithheld: Set<string>;
  /** Ids of forums whose archived threads were listed to the end since the lease was taken. */
  listed: Set<string>;
  /** The time since which events have told every change; null while they do not. */
  listening: { since: Date | null };
}

/** A server as the platform told it, with its archived forums. */
export interface LoadedServer {
  serverId: string;
  asOf: number;
  told: SourceThread['server'];
  channels: Map<string, SourceThread['channel']>;
  /** Ids of its roles whose bearers are left out. */
  optOutRoles: ReadonlySet<string>;
  /** The server's roles by id, as the platform told them. */
  roles: ReadonlyMap<string, LiveRole>;
}

/** The roles of a server as the platform told them, and which of them leave their bearers out. */
export function rolesOf(
  { roles }: Pick<LiveGuild, 'roles'>,
  { optOutEntries }: Pick<SyncDeps, 'optOutEntries'>,
): Pick<LoadedServer, 'optOutRoles' | 'roles'> {
  return {
    optOutRoles: rolesNamed(roles, optOutEntries),
    roles: new Map(roles.map((role) => [role.id, role])),
  };
}

/** Whether a forum is archived, as the last look at its server has found. */
export function isArchived(
  { servers }: Pick<SyncDeps, 'servers'>,
  { serverId, channelId }: { serverId: string; channelId: string },
): boolean {
  return servers.get(serverId)?.channels.has(channelId) === true;
}

/** The ids of the archived forums of all servers that were looked at. */
export function channelsOf(servers: SyncDeps['servers']): string[] {
  return [...servers.values()].flatMap((server) => [...server.channels.keys()]);
}
