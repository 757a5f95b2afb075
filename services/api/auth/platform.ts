import Joi from 'joi';
import { CDN, defaultPictureUrl } from '../../../shared/discordApi/cdnUrls.js';
import { BLOCKED } from '../../../shared/discordApi/judgeAnswer.js';
import type { Logger } from '../../../shared/platform/logger.js';
import { askPlatform, type PlatformReply } from './askPlatform.js';
import { createCodeExchange } from './codeExchange.js';
import type { PlatformProfile } from './platformProfile.js';
import type { PlatformSettings } from './platformSettings.js';
import { createPlatformVisits } from './platformVisits.js';
import { readReply } from './readReply.js';
import { invalidCredential } from './refusals.js';

/** A user as the platform describes them, without their servers. */
export type PlatformUser = Omit<PlatformProfile, 'guilds'>;

/**
 * The chat platform, as far as logins need it. Where the platform gives no usable answer, or must not be asked now, its
 * methods reject with UNAVAILABLE.
 */
export interface Platform {
  redirectUri: string;
  /** The URL at which a user logs in. */
  loginUrl(state: string): string;
  /** The user of a code. Rejects with FORBIDDEN where the code is wrong, used or expired, and with NOT_CONFIGURED. */
  logIn(code: string): Promise<PlatformUser>;
  /**
   * The user of an access token, with their servers where the token allows that. Rejects with FORBIDDEN for a wrong
   * one.
   */
  findProfile(accessToken: string): Promise<PlatformProfile>;
}

interface User {
  id: string;
  username: string;
  avatar: string | null;
}

type Guild = NonNullable<PlatformProfile['guilds']>[number];

const snowflake = Joi.string()
  .pattern(/^\d{1,20}$/)
  .required();
const hash = Joi.string()
  .pattern(/^\w{1,64}$/)
  .allow(null)
  .default(null);
const userReply = Joi.object<User>({
  id: snowflake,
  username: Joi.string().max(100).required(),
  avatar: hash,
})
  .unknown()
  .required();
const guildsReply = Joi.array<Guild[]>()
  .items(
    Joi.object<Guild>({
      id: snowflake,
      name: Joi.string().max(200).required(),
      icon: hash,
    }).unknown(),
  )
  .required();

/** Makes the client of the platform. It logs an error where the platform refuses the id and secret of this service. */
export function createPlatform(settings: PlatformSettings, logger: Logger): Platform {
  const visit = createPlatformVisits();
  const exchangeCode = createCodeExchange(settings, logger);
  return {
    redirectUri: settings.redirectUri,
    loginUrl: (state) => loginUrl(settings, state),
    logIn: (code) => visit(async () => findUser(settings, await exchangeCode(code))),
    findProfile: (accessToken) =>
      visit(async () => {
        const user = await findUser(settings, accessToken);
        const guilds = await findGuilds(settings, accessToken);
        return guilds ? { ...user, scope: [...user.scope, 'guilds'], guilds } : user;
      }),
  };
}

function loginUrl({ authorizeUrl, clientId, redirectUri }: PlatformSettings, state: string) {
  const url = new URL(authorizeUrl);
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('redirect_uri', redirectUri);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('scope', 'identify');
  url.searchParams.set('state', state);
  return url.href;
}

async function findUser(settings: PlatformSettings, accessToken: string): Promise<PlatformUser> {
  const reply = await askAs(settings, accessToken, '/users/@me');
  if (isRefused(reply)) throw invalidCredential('token');
  const { id, username, avatar } = readReply(userReply, reply);
  return { id, username, avatar: avatarUrl(id, avatar), scope: ['identify'] };
}

/** The user's servers; undefined where the token does not allow to read them. */
async function findGuilds(
  settings: PlatformSettings,
  accessToken: string,
): Promise<PlatformProfile['guilds']> {
  const reply = await askAs(settings, accessToken, '/users/@me/guilds');
  if (isRefused(reply)) return undefined;
  return readReply<Guild[]>(guildsReply, reply).map(({ id, name, icon }) => ({ id, name, icon }));
}

function askAs(
  { apiUrl }: PlatformSettings,
  accessToken: string,
  path: string,
): Promise<PlatformReply> {
  return askPlatform(`${apiUrl}${path}`, { headers: { Authorization: `Bearer ${accessToken}` } });
}

/** Whether the platform itself refuses a token: it sends a code. Cloudflare, in front of it, sends none or BLOCKED. */
function isRefused({ status, body }: PlatformReply): boolean {
  const { code } = (body ?? {}) as { code?: unknown };
  return (status === 401 || status === 403) && typeof code === 'number' && code !== BLOCKED;
}

function avatarUrl(userId: string, avatar: string | null): string {
  if (avatar) return `${CDN}/avatars/${userId}/${avatar}.png`;
  return defaultPictureUrl(userId);
}
