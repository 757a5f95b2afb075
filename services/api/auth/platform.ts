import Joi from 'joi';
import { askPlatform, platformAway, type PlatformReply } from './askPlatform.js';
import type { PlatformProfile } from './platformProfile.js';
import { InvalidCredential, invalidCredential, notConfigured } from './refusals.js';

/** What logging in needs. */
export interface PlatformSettings {
  apiUrl: string;
  authorizeUrl: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

/** The chat platform's OAuth2. Each call throws UNAVAILABLE with Retry-After while the platform cannot answer. */
export interface Platform {
  redirectUri: string;
  /** Where a user logs in. */
  loginUrl(state: string): string;
  /** The access token for a code. Throws FORBIDDEN when the code is wrong, used or late. */
  exchangeCode(code: string): Promise<string>;
  /** Who holds an access token. Throws FORBIDDEN when the token is not valid. */
  findUser(accessToken: string): Promise<Omit<PlatformProfile, 'guilds'>>;
  /** The user's servers; undefined when the token does not allow to see them. */
  findGuilds(accessToken: string): Promise<PlatformProfile['guilds']>;
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
const tokenReply = Joi.object<{ access_token: string }>({
  access_token: Joi.string().max(2_048).required(),
})
  .unknown()
  .required();
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

/** The platform of the settings. */
export function createPlatform(settings: PlatformSettings): Platform {
  const { apiUrl, redirectUri } = settings;
  const asUser = (path: string, accessToken: string): Promise<PlatformReply> =>
    askPlatform(`${apiUrl}${path}`, { headers: { Authorization: `Bearer ${accessToken}` } });
  return {
    redirectUri,
    loginUrl: (state) => loginUrl(settings, state),
    exchangeCode: (code) => exchangeCode(settings, code),
    async findUser(accessToken) {
      const reply = await asUser('/users/@me', accessToken);
      if (reply.status === 401 || reply.status === 403) throw invalidCredential('token');
      const { id, username, avatar } = read(userReply, reply);
      return { id, username, avatar: avatarUrl(id, avatar), scope: ['identify'] };
    },
    async findGuilds(accessToken) {
      const reply = await asUser('/users/@me/guilds', accessToken);
      if (reply.status === 401 || reply.status === 403) return undefined;
      return read<Guild[]>(guildsReply, reply).map(({ id, name, icon }) => ({ id, name, icon }));
    },
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

async function exchangeCode(settings: PlatformSettings, code: string): Promise<string> {
  const form = new URLSearchParams({
    client_id: settings.clientId,
    client_secret: settings.clientSecret,
    grant_type: 'authorization_code',
    code,
    redirect_uri: settings.redirectUri,
  });
  const reply = await askPlatform(`${settings.apiUrl}/oauth2/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
  if (reply.status === 400) throw new InvalidCredential('FORBIDDEN', 'The code is not valid');
  if (reply.status === 401 || reply.status === 403) throw notConfigured();
  return read(tokenReply, reply).access_token;
}

/** The checked body of a good reply. Throws UNAVAILABLE for any other. */
function read<Body>(schema: Joi.Schema<Body>, { status, body }: PlatformReply): Body {
  if (status !== 200) throw platformAway(`The platform answered ${status}`);
  const checked = schema.validate(body, { convert: false });
  if (checked.error) throw platformAway('The platform answered in an unknown shape');
  return checked.value;
}

const CDN = 'https://cdn.discordapp.com';

function avatarUrl(userId: string, avatar: string | null): string {
  if (avatar) return `${CDN}/avatars/${userId}/${avatar}.png`;
  return `${CDN}/embed/avatars/${(BigInt(userId) >> 22n) % 6n}.png`;
}
