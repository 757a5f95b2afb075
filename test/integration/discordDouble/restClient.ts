import type { DiscordDouble } from '../../support/discord/types.js';

export interface RestReply {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed answer; throws where it is no JSON. */
  json(): unknown;
}

/** Sends a request to the double as a bot does. It throws for no status, and never waits. */
export async function ask(
  { url, token }: Pick<DiscordDouble, 'url' | 'token'>,
  path: string,
  { headers, ...init }: { headers?: Record<string, string>; method?: string; body?: string } = {},
): Promise<RestReply> {
  const response = await fetch(`${url}${path}`, {
    ...init,
    headers: {
      Authorization: `Bot ${token}`,
      'User-Agent': 'DiscordBot (https://example.com, 1)',
      ...headers,
    },
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: () => JSON.parse(text) as unknown,
  };
}

/** The parsed answer to a request that must succeed. */
export async function read(double: DiscordDouble, path: string): Promise<unknown> {
  const reply = await ask(double, path);
  if (reply.status !== 200) throw new Error(`${path}: ${reply.status} ${reply.text}`);
  return reply.json();
}
