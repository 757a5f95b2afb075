import type { Redis } from 'ioredis';
import { createBotClient, type BotSettings } from '../../../shared/discordApi/botClient.js';
import { parseRoles } from '../../../shared/discordApi/optOutRoles.js';
import type { Settings } from '../../../shared/platform/env.js';
import type { IndexerDeps } from '../deps.js';
import { createLiveClock } from '../stores/liveClock.js';
import { createHeldTeller } from './noteAway.js';
import { runSync, type Sync } from './runSync.js';

/** How often (ms) the roles of an author are asked for. */
const MEMBER_EVERY_MS = 1_000;

/** The settings of the sync. */
export type SyncSettings = BotSettings &
  Pick<
    Settings,
    | 'DISCORD_ALSO_CHANNELS'
    | 'OPT_OUT_ROLE'
    | 'SYNC_EVERY_MINUTES'
    | 'REREAD_EVERY_SECONDS'
    | 'REREAD_AFTER_HOURS'
  >;

/** Starts the sync. Returns null where no bot's token is set. */
export function startSync(
  deps: IndexerDeps,
  { settings, queueRedis: redis }: { settings: SyncSettings; queueRedis: Redis },
): Sync | null {
  const { namespace, collections } = deps;
  const clock = createLiveClock(collections.state);
  const platform = createBotClient(settings, {
    redis,
    namespace,
    now: () => clock.take(),
    onAsked: (outcome) => deps.counters?.platformAsked(outcome),
    onHeld: createHeldTeller(deps),
  });
  if (!platform) return null;
  const { DISCORD_BOT_TOKEN: token = '', DISCORD_API_URL: url } = settings;
  return runSync(
    deps,
    { platform, clock },
    {
      named: new Set(settings.DISCORD_ALSO_CHANNELS.match(/\d+/g)),
      optOutEntries: parseRoles(settings.OPT_OUT_ROLE),
      gateway: { token, isPlain: url.startsWith('http:'), problem: null },
      allEveryMs: settings.SYNC_EVERY_MINUTES * 60_000,
      repairEveryMs: settings.REREAD_EVERY_SECONDS * 1_000,
      repairAfterMs: settings.REREAD_AFTER_HOURS * 3_600_000,
      memberEveryMs: MEMBER_EVERY_MS,
    },
  );
}
