import { LRUCache } from 'lru-cache';
import type { IndexerDeps } from '../../services/indexer/deps.js';
import { createTurns } from '../../services/indexer/turns.js';
import { createMeter } from '../../services/indexer/sync/meter.js';
import { createRemovals } from '../../services/indexer/sync/removals.js';
import type { SyncDeps } from '../../services/indexer/sync/syncDeps.js';
import type { LiveChannel, LiveGuild, LiveThread } from '../../shared/discordApi/answerTypes.js';
import type { PlatformClient, PlatformRequest } from '../../shared/discordApi/platformClient.js';
import { PlatformRefused } from '../../shared/discordApi/platformErrors.js';
import { liveTime } from '../../shared/store/sourceTime.js';
import { anId } from './factories.js';

const VIEW_AND_READ = String((1n << 10n) | (1n << 16n));
const MAY_READ_MESSAGES = 1 << 18;

/** A server of a test's platform. */
export interface AnsweredServer {
  guild: LiveGuild;
  channels: LiveChannel[];
}

/** A server with this name and with some forums, all of which are public. */
export function anAnsweredServer(name: string, forums: readonly string[]): AnsweredServer {
  const id = anId();
  return {
    guild: { id, name, roles: [{ id, name: '@everyone', permissions: VIEW_AND_READ }] },
    channels: forums.map((forum) => ({
      id: anId(),
      type: 15,
      name: forum,
      flags: 0,
      permission_overwrites: [],
    })),
  };
}

/** Hides a forum from everyone on its server. */
export function hide({ guild: { id } }: AnsweredServer, channel: LiveChannel): void {
  channel.permission_overwrites = [{ id, type: 0, allow: '0', deny: VIEW_AND_READ }];
}

/** What a test may set of the answers: the pages of a forum's archived threads, and what is done before each answer. */
export interface Answering {
  archived?: (channelId: string) => { threads: LiveThread[]; has_more: boolean };
  before?: (request: PlatformRequest<unknown>) => Promise<void>;
}

/**
 * A platform that answers the sync's requests for lists within this process. An answer tells the state at the moment at
 * which it is given. It counts as of the moment at which it was asked for.
 */
export function answeringPlatform(
  servers: readonly AnsweredServer[],
  { archived = () => ({ threads: [], has_more: false }), before }: Answering = {},
): { platform: PlatformClient; asked: PlatformRequest<unknown>[] } {
  const botId = anId();
  const asked: PlatformRequest<unknown>[] = [];
  let asOf = liveTime(Date.now() * 1_000);
  const answers: Record<string, (id: string) => unknown> = {
    application: () => ({ flags: MAY_READ_MESSAGES }),
    guilds: () => servers.map(({ guild: { id } }) => ({ id })),
    guild: (serverId) => servers.find(({ guild }) => guild.id === serverId)?.guild,
    guildChannels: (serverId) => servers.find(({ guild }) => guild.id === serverId)?.channels,
    channel: (channelId) => ({
      id: channelId,
      type: 15,
      guild_id: servers.find(({ channels }) => channels.some(({ id }) => id === channelId))?.guild
        .id,
    }),
    me: () => ({ id: botId }),
    member: () => ({ roles: [] }),
    activeThreads: () => ({ threads: [], unreadable: [] }),
    archivedThreads: (channelId) => ({ unreadable: [], ...archived(channelId) }),
    messages: () => ({ messages: [], unreadable: [] }),
    message() {
      throw new PlatformRefused('Unknown Message', 404, 10_008);
    },
  };
  const get = async (request: PlatformRequest<unknown>, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    asked.push(request);
    asOf += 1;
    const askedAt = asOf;
    await before?.(request);
    return { value: structuredClone(answers[request.route]!(request.topId)), asOf: askedAt };
  };
  return { platform: { get } as PlatformClient, asked };
}

/** What the sync needs besides a platform, without the parts of it that run by themselves. */
export function syncDeps(
  deps: IndexerDeps,
  platform: PlatformClient,
  more: Partial<SyncDeps> = {},
): SyncDeps {
  const { signal } = new AbortController();
  return {
    ...deps,
    platform,
    signal,
    fail(error) {
      throw error;
    },
    meter: createMeter(),
    turns: createTurns(),
    clock: undefined as unknown as SyncDeps['clock'],
    named: new Set(),
    optOutEntries: [],
    members: new LRUCache({ max: 100 }),
    servers: new Map(),
    removals: createRemovals({ ...deps, signal }),
    longWithheld: new Set(),
    listed: new Set(),
    listening: { since: null },
    ...more,
  };
}
