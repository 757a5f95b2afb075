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

/** The user of an access token, without their servers. */
export type PlatformUser = Omit<PlatformProfile, 'guilds'>;

/**
 * The chat platform's OAuth2. While the platform cannot or must not be asked, each call throws UNAVAILABLE with
 * Retry-After.
 */
export interface Platform {
  redirectUri: string;
  /** The address at which a user logs in. */
  loginUrl(state: string): string;
  /** The user who has logged in with a code. Throws FORBIDDEN where it is wrong, used or late, and NOT_CONFIGURED. */
  logIn(code: string): Promise<PlatformUser>;
  /**
   * The user of an access token, and their servers where the token shows them. Throws FORBIDDEN where it is not valid.
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

/** The platform that the settings name. Where it refuses the id and secret of this service, the log says so. */
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

/** The user's servers; undefined where the token may not see them. */
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

/** Whether the platform refuses a token. It says so with a code. What stands before it may refuse anything, too. */
function isRefused({ status, body }: PlatformReply): boolean {
  const { code } = (body ?? {}) as { code?: unknown };
  return (status === 401 || status === 403) && typeof code === 'number' && code !== BLOCKED;
}

function avatarUrl(userId: string, avatar: string | null): string {
  if (avatar) return `${CDN}/avatars/${userId}/${avatar}.png`;
  return defaultPictureUrl(userId);
}
