import Joi from 'joi';
import {
  apiKeyListSchema,
  apiKeySchema,
  createdApiKeySchema,
  currentUserSchema,
  loggedOutSchema,
  loginRedirectSchema,
  logoutRequestSchema,
  newApiKeySchema,
  refreshRequestSchema,
  tokenRequestSchema,
  tokenResponseSchema,
} from './auth.js';
import { text } from './fields.js';
import { BODY_ERRORS, jsonBody, nothing, operation, PROTECTED_ERRORS } from './operation.js';

const keyParams = Joi.object<{ keyId: string }, true>({ keyId: text('Id of the key') });

const BARE = { params: nothing, query: nothing } as const;

/** Logging in, the current user, and API keys. */
export const authOperations = {
  login: operation({
    ...BARE,
    method: 'get',
    access: 'public',
    operationId: 'login',
    paths: ['/auth/login'],
    summary:
      'Begin to log in: a redirect to the platform, with a state that is bound to the browser',
    status: 302,
    response: loginRedirectSchema,
    errors: ['NOT_CONFIGURED'],
    headers: { Location: 'Where the user logs in', 'Set-Cookie': 'Binds the state to the browser' },
  }),
  exchangeCode: operation({
    ...BARE,
    method: 'post',
    access: 'public',
    limitedAs: 'code',
    operationId: 'exchangeCode',
    paths: ['/auth/token'],
    summary: 'Exchange a code of the platform for a service token',
    body: jsonBody(tokenRequestSchema),
    response: tokenResponseSchema,
    errors: [...BODY_ERRORS, 'FORBIDDEN', 'UNAVAILABLE', 'NOT_CONFIGURED'],
  }),
  refreshToken: operation({
    ...BARE,
    method: 'post',
    access: 'public',
    operationId: 'refreshToken',
    paths: ['/auth/refresh'],
    summary: 'Exchange a refresh token for a new one and a new service token',
    body: jsonBody(refreshRequestSchema),
    response: tokenResponseSchema,
    errors: [...BODY_ERRORS, 'TOKEN_EXPIRED', 'FORBIDDEN', 'UNAVAILABLE', 'NOT_CONFIGURED'],
  }),
  logOut: operation({
    ...BARE,
    method: 'post',
    access: 'public',
    operationId: 'logOut',
    paths: ['/auth/logout'],
    summary: 'End a login: its refresh tokens, and its service tokens that carry a level',
    body: jsonBody(logoutRequestSchema),
    response: loggedOutSchema,
    errors: [...BODY_ERRORS, 'TOKEN_EXPIRED', 'FORBIDDEN', 'UNAVAILABLE', 'NOT_CONFIGURED'],
  }),
  getMe: operation({
    ...BARE,
    method: 'get',
    access: 'me',
    operationId: 'getMe',
    paths: ['/api/me'],
    summary: 'The user whose bearer token is sent',
    response: currentUserSchema,
    errors: PROTECTED_ERRORS,
  }),
  createKey: operation({
    ...BARE,
    method: 'post',
    access: 'admin',
    operationId: 'createKey',
    paths: ['/admin/keys'],
    summary: 'Make an API key; its secret is shown only now',
    body: jsonBody(newApiKeySchema),
    status: 201,
    response: createdApiKeySchema,
    errors: [...BODY_ERRORS, ...PROTECTED_ERRORS],
  }),
  listKeys: operation({
    ...BARE,
    method: 'get',
    access: 'admin',
    operationId: 'listKeys',
    paths: ['/admin/keys'],
    summary: 'Every API key, without its secret',
    response: apiKeyListSchema,
    errors: PROTECTED_ERRORS,
  }),
  revokeKey: operation({
    ...BARE,
    method: 'delete',
    access: 'admin',
    operationId: 'revokeKey',
    paths: ['/admin/keys/:keyId'],
    summary: 'Revoke an API key; it stops working within a second',
    params: keyParams,
    response: apiKeySchema,
    errors: [...PROTECTED_ERRORS, 'NOT_FOUND'],
  }),
} as const;
