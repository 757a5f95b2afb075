import { readText } from '../../../shared/platform/readText.js';
import { Unavailable } from '../unavailable.js';

/** The most time (ms) that the platform may take for one answer, including its body. */
const LIMIT_MS = 5_000;
const MOST_BYTES = 1_048_576;
/** Retry-After (seconds) where the platform names no time, and the most that is passed on. */
const RETRY_SECONDS = 5;
const LONGEST_RETRY = 3_600;

/** An answer other than a 429. `body` is undefined where it is no JSON. */
export interface PlatformReply {
  status: number;
  body: unknown;
}

/** UNAVAILABLE, because of the platform. The caller is not told `reason`; only the log holds it. */
export class PlatformAway extends Unavailable {
  constructor(reason: string, seconds = RETRY_SECONDS) {
    const message = 'The chat platform cannot answer now; try again soon';
    super(message, seconds, new Error(reason));
  }
}

/** The platform asked to wait. `isForAll` is false where only the sent token has to wait. */
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
 * A request was refused with 401 or 403 by what stands before the platform. The platform may count it among the invalid
 * requests of this address.
 */
export class Blocked extends PlatformAway {}

/**
 * Sends a request to the platform. Throws PlatformAway where it is away or slow, and AskedToWait where it asks to wait.
 */
export async function askPlatform(url: string, init: RequestInit): Promise<PlatformReply> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    // A redirect is not followed, because credentials must only go to the configured address.
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

/** Whether a user's token was sent. The platform limits such a token separately. */
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

/** Why a request failed, without its address or headers. */
function causeOf(error: unknown): string {
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  return `The platform could not be reached: ${typeof code === 'string' ? code : 'unknown'}`;
}
