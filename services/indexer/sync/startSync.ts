import type { Redis } from 'ioredis';
import { createBotClient, type BotSettings } from '../../../shared/discordApi/botClient.js';
import { parseRoles } from '../../../shared/discordApi/optOutRoles.js';
import type { Settings } from '../../../shared/platform/env.js';
import type { IndexerDeps } from '../deps.js';
import { nextLiveTime } from '../stores/nextVersion.js';
import { runSync, type Sync } from './runSync.js';

/** Everything that is new is looked for this often. */
const ALL_EVERY_MS = 10 * 60_000;
/** A thread is read once more this often, while nothing else is to be fetched. */
const REPAIR_EVERY_MS = 5_000;

/** The roles of an author are asked for this often. */
const MEMBER_EVERY_MS = 1_000;

/** The settings of the sync. */
export type SyncSettings = BotSettings & Pick<Settings, 'DISCORD_ALSO_CHANNELS' | 'OPT_OUT_ROLE'>;

/** Starts the sync where a bot's token is set; else gives null. */
export function startSync(
  deps: IndexerDeps,
  { settings, queueRedis: redis }: { settings: SyncSettings; queueRedis: Redis },
): Sync | null {
  const { namespace, collections } = deps;
  const now = () => nextLiveTime(collections.state);
  const platform = createBotClient(settings, { redis, namespace, now });
  if (!platform) return null;
  const { DISCORD_BOT_TOKEN: token = '', DISCORD_API_URL: url } = settings;
  return runSync(deps, platform, {
    named: new Set(settings.DISCORD_ALSO_CHANNELS.match(/\d+/g)),
    optOutRoles: parseRoles(settings.OPT_OUT_ROLE),
    gateway: { token, isPlain: url.startsWith('http:'), problem: null },
    ...{ allEveryMs: ALL_EVERY_MS, repairEveryMs: REPAIR_EVERY_MS, memberEveryMs: MEMBER_EVERY_MS },
  });
}
