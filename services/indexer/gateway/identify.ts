import { setTimeout as pause } from 'node:timers/promises';
import { gatewayRequest } from '../../../shared/discordApi/requests.js';
import type { Collections } from '../../../shared/store/collections.js';
import { stateOf } from '../../../shared/store/state.js';
import { requireContentIntent } from '../sync/contentIntent.js';
import type { SyncDeps } from '../sync/syncDeps.js';

/** The intents for servers and channels, messages, reactions, the content of messages, and votes in polls. */
const INTENTS = (1 << 0) | (1 << 9) | (1 << 10) | (1 << 15) | (1 << 24);
/** The intent for changes of members' roles. It is asked for where the developer portal grants it. */
const GUILD_MEMBERS = 1 << 1;
/**
 * How long (ms) between the beginnings of two sessions. The platform lets one session begin every five seconds.
 * Requests may arrive closer together than they were sent, so this is a little longer.
 */
const SPACING_MS = 5_500;
/**
 * The part of a day's sessions that is never used. When a bot begins more sessions than it may, the platform resets its
 * token.
 */
const SPARED = 0.1;

/** No session may begin before `waitMs` (ms) have passed. */
export class NoSessionsLeft extends Error {
  override readonly name = 'NoSessionsLeft';
  readonly waitMs: number;

  constructor(waitMs: number) {
    super(
      `The bot has begun nearly as many sessions as it may in a day. The next one begins in ${Math.ceil(waitMs / 60_000)} minutes. Does something else use its token?`,
    );
    this.waitMs = waitMs;
  }
}

/** Resolves with the intents to ask for now. Throws SyncProblem where the bot may not read the content of messages. */
export async function wantedIntents(deps: SyncDeps): Promise<number> {
  const { guildMembers } = await requireContentIntent(deps);
  return guildMembers ? INTENTS | GUILD_MEMBERS : INTENTS;
}

/**
 * Waits until a session may begin. Resolves with the address to connect to, and the intents to ask for. Other programs
 * with the same token use up sessions of the same day, so the platform is asked each time. Throws NoSessionsLeft, and
 * SyncProblem where the bot may not read the content of messages.
 */
export async function awaitIdentify(deps: SyncDeps): Promise<{ url: string; intents: number }> {
  const { platform, signal, collections } = deps;
  const intents = await wantedIntents(deps);
  const { value } = await platform.get(gatewayRequest, signal);
  const { total, remaining, reset_after: resetAfterMs } = value.session_start_limit;
  if (remaining <= total * SPARED) throw new NoSessionsLeft(resetAfterMs);
  while (!(await claimIdentify(collections))) await pause(SPACING_MS / 5, undefined, { signal });
  return { url: value.url, intents };
}

/**
 * Claims the right to begin a session. Resolves with false while the last claim of any process is too recent. Times are
 * by MongoDB's clock. A stored time in the future was stored before that clock was set back, so it does not count.
 */
async function claimIdentify({ state }: Pick<Collections, 'state'>): Promise<boolean> {
  const gateway = stateOf(state, 'gateway');
  const last = { $ifNull: ['$identifiedAt', new Date(0)] };
  const isDue = {
    $or: [{ $lt: [last, { $subtract: ['$$NOW', SPACING_MS] }] }, { $gt: [last, '$$NOW'] }],
  };
  const { modifiedCount } = await gateway.updateOne({ _id: 'gateway', $expr: isDue }, [
    { $set: { identifiedAt: '$$NOW' } },
  ]);
  return modifiedCount > 0;
}
