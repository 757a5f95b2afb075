import { LACKS_MESSAGE_CONTENT } from '../../../shared/discordApi/grantedIntents.js';

/** Codes after which the session cannot be resumed: its sequence number was invalid, or it has timed out. */
const GONE = new Set([4_007, 4_009]);
const AUTHENTICATION_FAILED = 4_004;
/** The close code where the developer portal does not grant all intents that were asked for. */
export const DISALLOWED_INTENTS = 4_014;

/** Codes after which trying again would not help, each with the problem and what to do. */
const FATAL: Readonly<Record<number, string>> = {
  4010: 'The platform refuses this version of the archive (invalid shard): update it, then restart the indexer',
  4011: 'The bot is on more servers than one connection may serve: remove it from some, then restart the indexer',
  4012: 'The platform refuses this version of the archive (its API is too old): update it, then restart the indexer',
  4013: 'The platform refuses this version of the archive (invalid intents): update it, then restart the indexer',
  [DISALLOWED_INTENTS]: `${LACKS_MESSAGE_CONTENT}, then restart the indexer`,
};

/**
 * What a close code means. `unauthorized`: the platform refuses the token. `fatal`: trying again would not help.
 * `sessionGone`: the next connection has to begin another session. `resumable`: the session can be resumed.
 */
export type ClosedFor =
  | { kind: 'unauthorized' }
  | { kind: 'fatal'; problem: string }
  | { kind: 'sessionGone' }
  | { kind: 'resumable' };

/** Judges a close code. Unknown codes are `resumable`. */
export function judgeClose(code: number): ClosedFor {
  if (code === AUTHENTICATION_FAILED) return { kind: 'unauthorized' };
  const problem = FATAL[code];
  if (problem !== undefined) return { kind: 'fatal', problem };
  return { kind: GONE.has(code) ? 'sessionGone' : 'resumable' };
}
