import { AppError } from '../../../shared/contract/errors.js';

/** The most time (ms) that the platform may take for one answer, including its body. */
const LIMIT_MS = 5_000;
const MOST_BYTES = 1_048_576;
/** Retry-After in seconds: where the platform names none, and at most. */
const RETRY_SECONDS = 5;
const LONGEST_RETRY = 3_600;

/** An answer that is no 429. `body` is undefined when it is no JSON. */
export interface PlatformReply {
  status: number;
  body: unknown;
}

/** UNAVAILABLE because the platform asked to wait: `isForAll` is false where only the token that was sent must wait. */
export class AskedToWait extends AppError {
  readonly seconds: number;
  readonly isForAll: boolean;

  constructor(seconds: number, isForAll: boolean) {
    const { code, message, headers, cause } = platformAway('The platform asked to wait', seconds);
    super(code, message, { headers, cause });
    this.seconds = seconds;
    this.isForAll = isForAll;
  }
}

/**
 * Asks the platform. Throws UNAVAILABLE with Retry-After when it is away, slow or asks to wait (AskedToWait).
 */
export async function askPlatform(url: string, init: RequestInit): Promise<PlatformReply> {
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    // Credentials go to the configured address alone: a redirect is not followed.
    const response = await fetch(url, { ...init, signal, redirect: 'manual' });
    const body = await readJson(response);
    if (response.status === 429) throw askedToWait(response.headers, isOfUser(init));
    return { status: response.status, body };
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw platformAway(signal.aborted ? 'The platform took too long' : causeOf(error));
  }
}

/** 503 UNAVAILABLE; `reason` goes to the log alone. */
export function platformAway(reason: string, seconds = RETRY_SECONDS): AppError {
  return new AppError('UNAVAILABLE', 'The chat platform cannot answer now; try again soon', {
    headers: { 'Retry-After': String(seconds) },
    cause: new Error(reason),
  });
}

function askedToWait(headers: Headers, isAsUser: boolean): AskedToWait {
  const asked = Math.ceil(Number(headers.get('retry-after')));
  const seconds = asked >= 1 ? Math.min(asked, LONGEST_RETRY) : RETRY_SECONDS;
  return new AskedToWait(seconds, !isAsUser || headers.get('x-ratelimit-scope') !== 'user');
}

/** Whether a user's token was sent, which has a limit of its own at the platform. */
function isOfUser({ headers }: RequestInit): boolean {
  return new Headers(headers).has('authorization');
}

async function readJson(response: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > MOST_BYTES) throw platformAway('The platform answered too much');
    text += decoder.decode(piece, { stream: true });
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The reason of a failed request, without its address or headers. */
function causeOf(error: unknown): string {
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  return `The platform could not be reached: ${typeof code === 'string' ? code : 'unknown'}`;
}
