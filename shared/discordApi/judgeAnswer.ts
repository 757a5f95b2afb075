import { PlatformForbidden, PlatformRefused, PlatformUnauthorized } from './platformErrors.js';
import { boundedMs, numberIn } from './rateLimits.js';

/** What an answer means for its request. `isInvalid`: the platform counts it towards a ban. */
export type Verdict = { isInvalid: boolean } & (
  | { kind: 'answer'; value: unknown }
  | { kind: 'refused'; error: Error }
  | { kind: 'wait'; waitMs: number; stopsAll: boolean; reason: string }
  | { kind: 'fault'; reason: string }
);

/** The pause (ms) after a 429 that tells no time. */
const UNTOLD_WAIT_MS = 60_000;
const SHORTEST_WAIT_MS = 50;
/** The code of a request that was blocked by Cloudflare, which stands in front of the platform. */
export const BLOCKED = 40_333;

/** Judges an answer by its status, its headers, and its JSON where it has any (else undefined). */
export function judge(status: number, headers: Headers, body: unknown): Verdict {
  if (status === 429) return judgeLimit(headers, body);
  const { code, message } = errorIn(body);
  if (status >= 200 && status < 300) {
    if (body !== undefined) return { kind: 'answer', value: body, isInvalid: false };
    return { kind: 'fault', reason: 'The answer is cut off, or no JSON', isInvalid: false };
  }
  const reason = `The platform answers ${status}${message === null ? '' : `: ${message}`}`;
  if (status === 403) {
    if (isCutOff(headers, body)) return { kind: 'fault', reason, isInvalid: true };
    // The platform gives a code with each 403. Without a code, or with BLOCKED, Cloudflare has blocked the request.
    // That says nothing about what was asked for.
    if (code === null || code === BLOCKED) {
      return {
        ...judgeLimit(headers, null),
        reason: `${reason}: Cloudflare, in front of it, blocks this address`,
      };
    }
    const error = new PlatformForbidden(reason, status, code);
    return { kind: 'refused', error, isInvalid: true };
  }
  // The platform refuses in JSON. Any other body comes from a proxy in front of it, and says nothing about what was
  // asked for.
  const isInvalid = status === 401;
  if (status >= 500 || fieldsOf(body) === null) return { kind: 'fault', reason, isInvalid };
  if (isInvalid) return { kind: 'refused', error: new PlatformUnauthorized(), isInvalid };
  return { kind: 'refused', error: new PlatformRefused(reason, status, code), isInvalid };
}

function judgeLimit(headers: Headers, body: unknown): Extract<Verdict, { kind: 'wait' }> {
  const scope = headers.get('X-RateLimit-Scope');
  const fields = fieldsOf(body);
  const isGlobal =
    fields?.['global'] === true || scope === 'global' || headers.has('X-RateLimit-Global');
  const isProxys = fields === null && !isCutOff(headers, body);
  const seconds =
    numberOrNull(fields?.['retry_after']) ??
    numberIn(headers, 'Retry-After') ??
    numberIn(headers, 'X-RateLimit-Reset-After');
  return {
    kind: 'wait',
    reason: isProxys
      ? 'Cloudflare, in front of the platform, limits this address (429)'
      : 'The platform asks to wait (429)',
    waitMs: seconds === null ? UNTOLD_WAIT_MS : Math.max(boundedMs(seconds), SHORTEST_WAIT_MS),
    // A 429 without JSON comes from a proxy in front of the platform. It limits the address, whatever is asked.
    stopsAll: isGlobal || isProxys,
    isInvalid: scope !== 'shared',
  };
}

/** Whether an answer announces JSON and did not arrive whole. So it may be the platform's own, in spite of its body. */
function isCutOff(headers: Headers, body: unknown): boolean {
  return body === undefined && /^application\/json\b/i.test(headers.get('Content-Type') ?? '');
}

function errorIn(body: unknown): { code: number | null; message: string | null } {
  const fields = fieldsOf(body);
  const message = fields?.['message'];
  return {
    code: numberOrNull(fields?.['code']),
    message: typeof message === 'string' ? message.slice(0, 200) : null,
  };
}

function fieldsOf(body: unknown): Record<string, unknown> | null {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return isObject ? (body as Record<string, unknown>) : null;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
