import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../../shared/contract/errors.js';
import type { Credential } from '../../auth/credential.js';

const BEARER = /^Bearer +([\w.~+/=-]+)$/i;
const BASIC = /^Basic +([\w+/=]+)$/i;
/** The scheme of HTTP Basic, also where nothing follows it. */
const PASSWORD = /^Basic(?: |$)/i;
/** The form of a JWT: three parts in base64url, of which the last, the signature, may be empty. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;
/** The most characters of a token that is sent to the platform. */
const LONGEST = 4_096;
/** The prefixes of API keys and refresh tokens of this service. Some clients send one as a bearer token by mistake. */
const MISPLACED = /^f[ar]_/;

/**
 * Reads the credential of a request; null where it has none. Throws VALIDATION_ERROR where it has two.
 *
 * With `basic`, an API key may be sent as the password of HTTP Basic. Otherwise HTTP Basic is ignored, and not refused.
 * After a user has typed a password for one page, the browser also sends it to neighbouring paths (RFC 7617, section
 * 2.2), and requests there may have another credential.
 */
export function readCredential(request: IncomingMessage, basic = false): Credential | null {
  const { authorization, 'x-api-key': key } = request.headers;
  if (authorization === undefined && key === undefined) return null;
  const { authorization: sent = [], 'x-api-key': keys = [] } = request.headersDistinct;
  const isIgnored = !basic && sent.length === 1 && PASSWORD.test(sent[0]!);
  const tokens = isIgnored ? [] : sent;
  if (tokens.length + keys.length > 1) {
    throw new AppError('VALIDATION_ERROR', 'A request must carry only one credential');
  }
  if (tokens[0] === undefined) return keys[0] === undefined ? null : apiKey(keys[0]);
  const encoded = BASIC.exec(tokens[0])?.[1];
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

/** The token of an Authorization header. A header of another form gives an empty token, which is never valid. */
function bearer(header: string): Credential {
  const text = BEARER.exec(header)?.[1] ?? '';
  const isForPlatform =
    text !== '' && text.length <= LONGEST && !JWT.test(text) && !MISPLACED.test(text);
  // Any other token is checked as a JWT of this service. It is never sent to the platform, which must not learn it.
  return { kind: isForPlatform ? 'platform' : 'jwt', text };
}
