/** The platform said no to a request. `code` is its own number for the reason, where it gave one. */
export class PlatformRefused extends Error {
  override readonly name: string = 'PlatformRefused';
  readonly status: number;
  readonly code: number | null;

  constructor(message: string, status: number, code: number | null) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The bot may not see what was asked for. That does not tell whether it still exists. */
export class PlatformForbidden extends PlatformRefused {
  override readonly name = 'PlatformForbidden';
}

/** Returns an error that is the platform's refusal. Throws any other error. */
export function onRefusal(error: unknown): PlatformRefused {
  if (error instanceof PlatformRefused) return error;
  throw error;
}

const UNKNOWN_CHANNEL = 10_003;
const UNKNOWN_MEMBER = 10_007;
const UNKNOWN_MESSAGE = 10_008;
const UNKNOWN_USER = 10_013;

/** Whether an error proves that the channel, thread or message that was asked for was deleted. */
export function isProofOfDeletion(error: unknown): boolean {
  return isUnknown(error, [UNKNOWN_CHANNEL, UNKNOWN_MESSAGE]);
}

/** Whether an error says that a person is not on the server that was asked about. */
export function isNoMember(error: unknown): boolean {
  return isUnknown(error, [UNKNOWN_MEMBER, UNKNOWN_USER]);
}

function isUnknown(error: unknown, codes: readonly (number | null)[]): boolean {
  return error instanceof PlatformRefused && error.status === 404 && codes.includes(error.code);
}

/** The token is wrong or was reset. Nothing more is asked with it. */
export class PlatformUnauthorized extends Error {
  override readonly name = 'PlatformUnauthorized';
  constructor() {
    super('The platform refuses DISCORD_BOT_TOKEN: set a valid one, then restart the indexer');
  }
}

/** The platform cannot be reached, or does not answer as it should. The same request will succeed later. */
export class PlatformAway extends Error {
  override readonly name = 'PlatformAway';
}

/** An answer that is not what its route promises. Nothing of it is taken. */
export class PlatformAnswerError extends Error {
  override readonly name = 'PlatformAnswerError';
}
