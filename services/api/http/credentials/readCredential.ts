import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../../shared/contract/errors.js';
import type { Credential } from '../../auth/credential.js';

const BEARER = /^Bearer +([\w.~+/=-]+)$/i;
const BASIC = /^Basic +([\w+/=]+)$/i;
/** The scheme of HTTP Basic, with or without credentials behind it. */
const PASSWORD = /^Basic(?: |$)/i;
/** Three parts in base64url: two that are signed, and the signature, which may be missing. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;
/** The most characters of a token that is shown to the platform. */
const LONGEST = 4_096;
/** The beginnings of API keys and refresh tokens of this service. Some clients send one as a bearer token. */
const MISPLACED = /^f[ar]_/;

/**
 * Reads the one credential of a request; null where it has none. Throws VALIDATION_ERROR where it has two.
 *
 * With `basic`, an API key may be sent as the password of HTTP Basic. Otherwise HTTP Basic is ignored. The reason: once
 * somebody has typed a password for one page, their browser also sends it to neighbouring paths (RFC 7617, section
 * 2.2). Requests there may have a credential of their own.
 */
export function readCredential(request: IncomingMessage, basic = false): Credential | null {
  const { authorization, 'x-api-key': key } = request.headers;
  if (authorization === undefined && key === undefined) return null;
  const { authorization: sent = [], 'x-api-key': keys = [] } = request.headersDistinct;
  const isIgnored = !basic && sent.length === 1 && PASSWORD.test(sent[0]!.trim());
  const tokens = isIgnored ? [] : sent;
  if (tokens.length + keys.length > 1) {
    throw new AppError('VALIDATION_ERROR', 'A request must carry only one credential');
  }
  if (tokens[0] === undefined) return keys[0] === undefined ? null : apiKey(keys[0]);
  const encoded = basic ? BASIC.exec(tokens[0].trim())?.[1] : undefined;
  return encoded === undefined ? bearer(tokens[0]) : apiKey(passwordOf(encoded));
}

function apiKey(text: string): Credential {
  return { kind: 'key', text };
}

/** The password in Basic credentials. Any user name may stand before it. */
function passwordOf(encoded: string): string {
  const text = Buffer.from(encoded, 'base64').toString();
  return text.slice(text.indexOf(':') + 1);
}

/** The token of an Authorization header. A header of another scheme or form gives a token that is never valid. */
function bearer(header: string): Credential {
  const text = BEARER.exec(header.trim())?.[1] ?? '';
  const isForPlatform =
    text !== '' && text.length <= LONGEST && !JWT.test(text) && !MISPLACED.test(text);
  // Every other token is judged as a JWT of this service, and is not sent to the platform.
  return { kind: isForPlatform ? 'platform' : 'jwt', text };
}
