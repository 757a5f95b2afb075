import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { presentUser } from './discord/present/presentUser.js';

export const CLIENT_ID = '900000000000000777';
export const CLIENT_SECRET = 'planted-client-secret-5b1f0c';
export const REDIRECT_URI = 'https://forum.example/callback';
/** The server in which every user is. */
export const SERVER_ID = '900000000000000010';

/**
 * What the double does in place of answering. `limited` asks everybody to wait, and `token limited` only the sender of
 * the token. `held` answers when the mood changes. As a proxy in front of the platform does, `blocked` refuses with a
 * page, `misread` calls the request malformed on a page, and `barred` refuses with a code. `moved` redirects to
 * `movedTo`. `verbose` answers with more than anybody should read.
 */
export type Mood =
  | 'well'
  | 'failing'
  | 'slow'
  | 'held'
  | 'limited'
  | 'token limited'
  | 'garbled'
  | 'blocked'
  | 'misread'
  | 'barred'
  | 'moved'
  | 'verbose';

export interface PlatformDouble {
  url: string;
  mood: Mood;
  /** The Retry-After of both `limited` moods. */
  retryAfter: string;
  movedTo: string;
  /** The requests so far, as `METHOD path`. */
  requests: string[];
  /** Makes a code for a user. Each code works once, and one with `isLate` never does. */
  newCode(userId: string, options?: { isLate?: boolean }): string;
  /** Makes an access token for a user, who may have no picture. */
  newToken(userId: string, options?: { guilds?: boolean; avatar?: string | null }): string;
  revoke(token: string): void;
  close(): Promise<void>;
}

interface Grant {
  userId: string;
  avatar: string | null;
  guilds: boolean;
}

/**
 * The OAuth2 endpoints of the chat platform, as its documentation describes them. The token endpoint accepts only
 * form-encoded bodies, checks the client and the redirect address, and accepts each code once.
 */
export async function startPlatform(): Promise<PlatformDouble> {
  const codes = new Map<string, string>();
  const tokens = new Map<string, Grant>();
  let issued = 0;
  const newToken: PlatformDouble['newToken'] = (
    userId,
    { guilds = false, avatar = 'a_1234' } = {},
  ) => {
    const token = `PlantedAccessToken${(issued += 1)}xyz`;
    tokens.set(token, { userId, guilds, avatar });
    return token;
  };
  const answer = async (request: IncomingMessage): Promise<[number, object]> => {
    const path = request.url ?? '';
    if (path === '/oauth2/token') return exchange(request, codes, newToken);
    const grant = tokens.get(/^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '');
    if (!grant) return [401, { message: '401: Unauthorized', code: 0 }];
    if (path === '/users/@me') return [200, userOf(grant)];
    if (path !== '/users/@me/guilds') return [404, { message: '404: Not Found', code: 0 }];
    if (!grant.guilds) return [401, { message: '401: Unauthorized', code: 0 }];
    return [200, [guild]];
  };
  const server = createServer((request, response) => {
    double.requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    void answer(request).then(async ([status, body]) => {
      while (double.mood === 'held') await setTimeout(10);
      reply(response, double, status, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const double: PlatformDouble = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood: 'well',
    retryAfter: '7.3',
    movedTo: '',
    requests: [],
    newCode(userId, { isLate = false } = {}) {
      const code = `PlantedCode${(issued += 1)}xyz`;
      if (!isLate) codes.set(code, userId);
      return code;
    },
    newToken,
    revoke: (token) => void tokens.delete(token),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return double;
}

async function exchange(
  request: IncomingMessage,
  codes: Map<string, string>,
  newToken: (userId: string) => string,
): Promise<[number, object]> {
  if (request.method !== 'POST') return [405, { message: '405: Method Not Allowed', code: 0 }];
  if (request.headers['content-type'] !== 'application/x-www-form-urlencoded') {
    return [400, { error: 'invalid_request', error_description: 'The body is not form-encoded' }];
  }
  const form = new URLSearchParams(await textOf(request));
  if (form.get('client_id') !== CLIENT_ID || form.get('client_secret') !== CLIENT_SECRET) {
    return [401, { error: 'invalid_client' }];
  }
  const userId = codes.get(form.get('code') ?? '');
  const isRight =
    form.get('grant_type') === 'authorization_code' && form.get('redirect_uri') === REDIRECT_URI;
  if (!isRight || userId === undefined) {
    return [400, { error: 'invalid_grant', error_description: 'Invalid "code" in request.' }];
  }
  codes.delete(form.get('code') ?? '');
  return [
    200,
    {
      access_token: newToken(userId),
      token_type: 'Bearer',
      expires_in: 604_800,
      refresh_token: 'PlantedPlatformRefresh',
      scope: 'identify',
    },
  ];
}

function userOf({ userId: id, avatar }: Grant): object {
  const names = { username: `user${id}`, globalName: null, discriminator: '0' };
  const user = presentUser({ id, ...names, avatar, isBot: false });
  return { ...user, mfa_enabled: true, locale: 'en-US', premium_type: 0 };
}

const guild = {
  id: SERVER_ID,
  name: 'Rust',
  icon: 'abc123',
  banner: null,
  owner: false,
  permissions: '0',
  features: [],
};

function reply(
  response: ServerResponse,
  { mood, retryAfter, movedTo }: Pick<PlatformDouble, 'mood' | 'retryAfter' | 'movedTo'>,
  status: number,
  body: object,
): void {
  if (mood === 'slow') return;
  if (mood === 'failing') status = 502;
  if (mood === 'limited' || mood === 'token limited') {
    status = 429;
    response.setHeader('Retry-After', retryAfter);
    response.setHeader('X-RateLimit-Scope', mood === 'limited' ? 'global' : 'user');
    const message = 'You are being rate limited.';
    body = { message, retry_after: Number(retryAfter) || 0, global: mood === 'limited' };
  }
  if (mood === 'blocked' || mood === 'barred') status = 403;
  if (mood === 'misread') status = 400;
  if (mood === 'barred') body = { message: 'Blocked', code: 40_333 };
  if (mood === 'moved') {
    status = 307;
    response.setHeader('Location', movedTo + (response.req.url ?? ''));
  }
  if (mood === 'verbose') body = { ...body, more: 'x'.repeat(1_048_576) };
  response.writeHead(status, { 'Content-Type': 'application/json' });
  const isPage = ['garbled', 'blocked', 'misread'].includes(mood);
  response.end(isPage ? '<html>' : JSON.stringify(body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece as string;
  return text;
}
