import { setTimeout as pause } from 'node:timers/promises';
import { gatewayRequest } from '../../../shared/discordApi/requests.js';
import type { Collections } from '../../../shared/store/collections.js';
import { stateOf } from '../../../shared/store/state.js';
import { requireContentIntent } from '../sync/contentIntent.js';
import type { SyncDeps } from '../sync/syncDeps.js';

/** Servers and channels, messages, reactions, what messages say, and votes. */
const INTENTS = (1 << 0) | (1 << 9) | (1 << 10) | (1 << 15) | (1 << 24);
/** This intent tells who takes a role on or puts it off. It is asked for where the portal grants it. */
const GUILD_MEMBERS = 1 << 1;
/** The platform lets one session begin in five seconds; requests sent evenly may arrive closer together. */
const SPACING_MS = 5_500;
/** The part of a day's sessions that is never used: to begin more than are allowed resets the token. */
const SPARED = 0.1;

/** No more sessions may begin for now. */
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

/** The intents to ask for now. Throws SyncProblem where the bot may not read what messages say. */
export async function wantedIntents(deps: SyncDeps): Promise<number> {
  const { guildMembers } = await requireContentIntent(deps);
  return guildMembers ? INTENTS | GUILD_MEMBERS : INTENTS;
}

/**
 * Waits until a session may begin. Gives the address to connect to, and the intents to ask for. Other programs with the
 * same token count towards the sessions of a day, so the platform is asked each time. Throws NoSessionsLeft, and
 * SyncProblem where the bot may not read what messages say.
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
 * Takes the next place in the row of all processes; false while it is too soon. Times are by MongoDB's clock. A time
 * that lies ahead is from before that clock was set back.
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
