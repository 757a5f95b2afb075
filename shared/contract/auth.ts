/** Tokens, API keys and the current user. */
import Joi from 'joi';
import {
  atMost,
  count,
  givenTime,
  id,
  listOf,
  nullableText,
  nullableTime,
  oneOf,
  pageEnd,
  text,
  time,
} from './fields.js';
import { MOST_KEY_YEARS, SCOPES, type Scope } from './scopes.js';

/** Body of POST /auth/token. */
export interface TokenRequest {
  grant_type: 'authorization_code';
  code: string;
  state?: string;
  redirect_uri?: string;
}

/** Checks a TokenRequest. */
export const tokenRequestSchema = Joi.object<TokenRequest, true>({
  grant_type: oneOf(['authorization_code'] as const, 'What the code is'),
  code: atMost(512).required().description('Code that the platform handed out'),
  state: atMost(512).description(
    'What the platform handed back; needed when the flow began at /auth/login',
  ),
  redirect_uri: atMost(2_048).description(
    'Where the platform sent the user; must be the configured address exactly',
  ),
});

/** Body of POST /auth/refresh. */
export interface RefreshRequest {
  refresh_token: string;
}

/** Checks a RefreshRequest. */
export const refreshRequestSchema = Joi.object<RefreshRequest, true>({
  refresh_token: atMost(512).required().description('Works once'),
});

/** Body of POST /auth/logout. */
export interface LogoutRequest {
  refresh_token: string;
}

/** Checks a LogoutRequest. */
export const logoutRequestSchema = Joi.object<LogoutRequest, true>({
  refresh_token: atMost(512).required().description('A refresh token of the login'),
});

/** POST /auth/logout. */
export interface LoggedOut {
  status: 'ended';
}

/** Checks a LoggedOut. */
export const loggedOutSchema = Joi.object<LoggedOut, true>({
  status: oneOf(['ended'], 'Always ended'),
});

/** A service token and what renews it. */
export interface TokenResponse {
  access_token: string;
  token_type: 'Bearer';
  /** Seconds. */
  expires_in: number;
  refresh_token: string;
}

/** Checks a TokenResponse. */
export const tokenResponseSchema = Joi.object<TokenResponse, true>({
  access_token: text('Service token (JWT)'),
  token_type: oneOf(['Bearer'] as const, 'How the token is sent'),
  expires_in: count('Life of the service token (seconds); shorter where it carries a level'),
  refresh_token: text('Renews the service token, once'),
});

/** GET /auth/login: the body beside its Location header. There are no query parameters. */
export interface LoginRedirect {
  location: string;
}

/** Checks a LoginRedirect. */
export const loginRedirectSchema = Joi.object<LoginRedirect, true>({
  location: text('Where the user logs in, as in the Location header'),
});

/** GET /api/me. */
export interface CurrentUser {
  id: string;
  username: string | null;
  /** Full https address. */
  avatar: string | null;
  /** The levels of a service token; of a platform token, what it allows (identify, guilds). */
  scope: string[];
  guilds?: { id: string; name: string; icon: string | null }[];
}

/** Checks a CurrentUser. */
export const currentUserSchema = Joi.object<CurrentUser, true>({
  id: text('User id'),
  username: nullableText('Account name; null where it is not known'),
  avatar: nullableText('Address of the picture (https); null where it is not known'),
  scope: listOf(
    Joi.string(),
    'Levels of a service token (read, write, admin), often none; what a platform token allows (identify, guilds)',
  ),
  guilds: listOf(
    Joi.object({
      id: id('Server id'),
      name: text('Server name'),
      icon: nullableText('Icon hash'),
    }),
    'Servers of the user, where a platform token allows to see them',
  ).optional(),
});

/** Body of POST /admin/keys. */
export interface NewApiKey {
  name: string;
  level: Scope;
  expiresAt?: string;
}

/** Checks a NewApiKey. */
export const newApiKeySchema = Joi.object<NewApiKey, true>({
  name: atMost(100)
    .pattern(/^\S(?:[\s\S]*\S)?$/)
    .messages({ 'string.pattern.base': '{{#label}} must not begin or end with white space' })
    .required()
    .description('What the key is for'),
  level: oneOf(SCOPES, 'What the key allows'),
  expiresAt: givenTime(
    `When it stops working (ISO 8601; UTC unless it says): a time in the future, at most ${MOST_KEY_YEARS} years from now; never when absent`,
  ),
});

/** An API key without its secret. Times are ISO 8601, UTC, with milliseconds. */
export interface ApiKey {
  id: string;
  name: string;
  level: Scope;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

const apiKeyFields = {
  id: text('Id of the key, the middle part of it'),
  name: text('What the key is for'),
  level: oneOf(SCOPES, 'What the key allows'),
  createdAt: time('When it was made'),
  expiresAt: nullableTime('When it stops working; null for never'),
  lastUsedAt: nullableTime('When it was last used, to a minute; null for never'),
  revokedAt: nullableTime('When it was revoked; null while it works'),
};

/** Checks an ApiKey. */
export const apiKeySchema = Joi.object<ApiKey, true>(apiKeyFields).description('An API key');

/** POST /admin/keys: the only answer that ever shows the key itself. */
export interface CreatedApiKey extends ApiKey {
  key: string;
}

/** Checks a CreatedApiKey. */
export const createdApiKeySchema = Joi.object<CreatedApiKey, true>({
  ...apiKeyFields,
  key: text('The key itself, shown only now'),
});

/** GET /admin/keys. */
export interface ApiKeyPage {
  keys: ApiKey[];
  nextCursor: string | null;
  hasMore: boolean;
}

/** Checks an ApiKeyPage. */
export const apiKeyPageSchema = Joi.object<ApiKeyPage, true>({
  keys: listOf(apiKeySchema, 'Newest first, revoked ones included'),
  ...pageEnd(),
});
