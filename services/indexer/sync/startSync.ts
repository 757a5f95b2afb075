import type { Redis } from 'ioredis';
import { createBotClient, type BotSettings } from '../../../shared/discordApi/botClient.js';
import type { Settings } from '../../../shared/platform/env.js';
import type { IndexerDeps } from '../deps.js';
import { nextLiveTime } from '../stores/nextVersion.js';
import { runSync, type Sync } from './runSync.js';

/** The settings of the sync. */
export type SyncSettings = BotSettings & Pick<Settings, 'DISCORD_ALSO_CHANNELS'>;

/** Starts the sync where a bot's token is set; else gives null. */
export function startSync(
  deps: IndexerDeps,
  { settings, queueRedis: redis }: { settings: SyncSettings; queueRedis: Redis },
): Sync | null {
  const { namespace, collections } = deps;
  const now = () => nextLiveTime(collections.state);
  const platform = createBotClient(settings, { redis, namespace, now });
  if (!platform) return null;
  return runSync(deps, platform, new Set(settings.DISCORD_ALSO_CHANNELS.match(/\d+/g)));
}
