import { createHash, randomBytes } from 'node:crypto';
import type { Collections } from '../../../shared/store/collections.js';
import { equalTexts } from '../../../shared/platform/equalTexts.js';
import { isDuplicateKey } from '../../../shared/store/duplicateKey.js';
import { InvalidCredential, invalidCredential } from './refusals.js';
import { isSigned, sign } from './signature.js';

/** How long a login may take from its start to the exchange of its code (seconds). */
const LIFE_SECONDS = 600;
const PURPOSE = 'oauth state';

/** Makes a signed state, which can be used once within LIFE_SECONDS. Only its use is stored, by `useState`. */
export function newState(secret: string, now = Date.now()): string {
  const text = `${randomBytes(16).toString('base64url')}.${Math.ceil(now / 1_000) + LIFE_SECONDS}`;
  return `${text}.${sign(secret, PURPOSE, text)}`;
}

/** The cookie that holds the state of a login. It shows which browser has begun the login. */
export interface StateCookie {
  name: string;
  /** The Set-Cookie header that sets the cookie to a state. */
  begin(state: string): string;
  /** The Set-Cookie header that removes the cookie. */
  end: string;
}

/**
 * The cookie that binds a login to the browser which began it. `redirectUri` is where the platform sends the user back.
 *
 * With https, the name of the cookie begins with `__Host-`, so that a browser accepts it only from this host. Without
 * the prefix, an attacker on a neighbouring host could set the cookie to the state of their own login, and the user
 * would be logged in to the attacker's account. For this prefix, browsers demand the path `/`. That path also works
 * where a proxy adds a prefix to all paths.
 */
export function stateCookie(redirectUri: string): StateCookie {
  const isSecure = redirectUri.startsWith('https:');
  const name = `${isSecure ? '__Host-' : ''}forum_archive_login`;
  const rest = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    name,
    begin: (state) => `${name}=${state}; Max-Age=${LIFE_SECONDS}; ${rest}`,
    end: `${name}=; Max-Age=0; ${rest}`,
  };
}

/**
 * Checks the state of a login, and records that it is used. Where a client began the login itself, and not by
 * `/auth/login`, it has neither our state nor our cookie, and nothing is checked. Throws FORBIDDEN where only one of
 * the two is there, where they differ, or where the state is forged, expired or used.
 */
export async function useState(
  { oauthStates }: Pick<Collections, 'oauthStates'>,
  secret: string,
  { state, cookie }: { state: string | undefined; cookie: string | undefined },
): Promise<void> {
  if (state === undefined && cookie === undefined) return;
  if (!state) throw missingState();
  if (!cookie || !equalTexts(cookie, state)) throw wrongState();
  const [nonce = '', expires = '', signature = ''] = state.split('.');
  if (!isSigned(secret, PURPOSE, `${nonce}.${expires}`, signature)) throw wrongState();
  const expiresAt = new Date(Number(expires) * 1_000);
  if (!(expiresAt.getTime() > Date.now())) throw wrongState();
  try {
    await oauthStates.insertOne({ _id: idOf(state), expiresAt });
  } catch (error) {
    if (isDuplicateKey(error)) throw wrongState();
    throw error;
  }
}

/**
 * Allows a used state to be used once more. It is called where the exchange failed for another reason than a wrong
 * code, so that the client can send the same request again.
 */
export async function releaseState(
  { oauthStates }: Pick<Collections, 'oauthStates'>,
  state: string,
): Promise<void> {
  await oauthStates.deleteOne({ _id: idOf(state) });
}

/**
 * A hash of the signed part of a state. The same signature could be written in more than one way, so it is left out.
 */
function idOf(state: string): string {
  return createHash('sha256').update(state.split('.', 2).join('.')).digest('hex');
}

function missingState() {
  const message = 'The state of this login is missing; send the one that the platform handed back';
  return new InvalidCredential('FORBIDDEN', message);
}

function wrongState() {
  return invalidCredential('state of this login');
}
