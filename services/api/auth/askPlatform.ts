import { readText } from '../../../shared/platform/readText.js';
import { Unavailable } from '../unavailable.js';

/** The most time (ms) that the platform may take for one answer, including its body. */
const LIMIT_MS = 5_000;
const MOST_BYTES = 1_048_576;
/** Retry-After (seconds) where the platform names no time, and the most that is passed on. */
const RETRY_SECONDS = 5;
const LONGEST_RETRY = 3_600;

/** An answer of the platform, with any status but 429. `body` is the parsed JSON; undefined where it is not JSON. */
export interface PlatformReply {
  status: number;
  body: unknown;
}

/** 503 UNAVAILABLE, because the platform gives no usable answer. Only the log shows `reason`. */
export class PlatformAway extends Unavailable {
  constructor(reason: string, seconds = RETRY_SECONDS) {
    const message = 'The chat platform cannot answer now; try again soon';
    super(message, seconds, new Error(reason));
  }
}

/**
 * The platform answered 429: it must not be asked for `seconds`. `isForAll` is false where only the sent token has to
 * wait.
 */
export class AskedToWait extends PlatformAway {
  readonly seconds: number;
  readonly isForAll: boolean;

  constructor(seconds: number, isForAll: boolean) {
    super('The platform asked to wait', seconds);
    this.seconds = seconds;
    this.isForAll = isForAll;
  }
}

/**
 * A request was answered with 401 or 403, but not in the way in which the platform refuses a token. Perhaps a proxy in
 * front of the platform refused it. The platform may count it among the invalid requests of this address.
 */
export class Blocked extends PlatformAway {}

/**
 * Sends a request to the platform. Throws AskedToWait where it answers 429, and PlatformAway where it does not answer
 * in LIMIT_MS, or answers with more than MOST_BYTES.
 */
export async function askPlatform(url: string, init: RequestInit): Promise<PlatformReply> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    // A redirect is not followed, because credentials must only be sent to the configured address.
    const response = await fetch(url, { ...init, signal, redirect: 'manual' });
    const body = await readJson(response);
    if (response.status === 429) throw askedToWait(response.headers, isOfUser(init));
    return { status: response.status, body };
  } catch (error) {
    if (error instanceof PlatformAway) throw error;
    throw new PlatformAway(signal.aborted ? 'The platform took too long' : causeOf(error));
  }
}

function askedToWait(headers: Headers, isAsUser: boolean): AskedToWait {
  const asked = Math.ceil(Number(headers.get('retry-after')));
  const seconds = asked >= 1 ? Math.min(asked, LONGEST_RETRY) : RETRY_SECONDS;
  return new AskedToWait(seconds, !isAsUser || headers.get('x-ratelimit-scope') !== 'user');
}

/** Whether a request carries a user's token. The platform may limit such a token by itself. */
function isOfUser({ headers }: RequestInit): boolean {
  return new Headers(headers).has('authorization');
}

async function readJson(response: Response): Promise<unknown> {
  const text = await readText(response, MOST_BYTES);
  if (text === null) throw new PlatformAway('The platform answered too much');
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why a request failed. It holds neither the address nor the headers, which may hold secrets. */
function causeOf(error: unknown): string {
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  return `The platform could not be reached: ${typeof code === 'string' ? code : 'unknown'}`;
}
