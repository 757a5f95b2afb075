import { createHash, randomBytes } from 'node:crypto';
import type { Collections } from '../../../shared/store/collections.js';
import { equalTexts } from '../../../shared/platform/equalTexts.js';
import { isDuplicateKey } from '../../../shared/store/duplicateKey.js';
import { InvalidCredential, invalidCredential } from './refusals.js';
import { isSigned, sign } from './signature.js';

/** How long a login may take (seconds). */
const LIFE_SECONDS = 600;
const PURPOSE = 'oauth state';

/** Makes a signed state that can be used once within ten minutes. Nothing is stored before it is used. */
export function newState(secret: string, now = Date.now()): string {
  const text = `${randomBytes(16).toString('base64url')}.${Math.ceil(now / 1_000) + LIFE_SECONDS}`;
  return `${text}.${sign(secret, PURPOSE, text)}`;
}

/** The cookie that holds the state of the login which a browser has begun. */
export interface StateCookie {
  name: string;
  /** The Set-Cookie value that binds a state to a browser. */
  begin(state: string): string;
  /** The Set-Cookie value that removes the cookie. */
  end: string;
}

/**
 * The cookie that binds a login to the browser which began it. `redirectUri` is where the platform sends the user back.
 * Where that address is of https, the name of the cookie begins with `__Host-`, and a browser takes such a cookie only
 * from this host. Otherwise a page of a neighbouring host could set the cookie, with the state of a stranger's login,
 * and the user would be logged in to the stranger's account. A browser also demands the path `/` for such a name. This
 * path fits where a proxy adds a prefix, too.
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
 * Uses up the state of a login. A client that began the login itself sends neither a state nor a cookie, and checks a
 * state of its own. Throws FORBIDDEN where only one of the two is there, where they differ, or where the state is
 * forged, late or used.
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
 * Allows the state of a login to be used once more. It is called where the platform did not answer, or refused for a
 * reason other than the code.
 */
export async function releaseState(
  { oauthStates }: Pick<Collections, 'oauthStates'>,
  state: string,
): Promise<void> {
  await oauthStates.deleteOne({ _id: idOf(state) });
}

/** A hash of the signed part of a state. The rest can be written in more than one way. */
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
