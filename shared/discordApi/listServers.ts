import type { PlatformClient } from './platformClient.js';
import { guildsRequest, SERVERS_PAGE_SIZE } from './requests.js';

/** The ids of all servers that the bot is in. */
export async function listServers(
  platform: PlatformClient,
  signal?: AbortSignal,
): Promise<string[]> {
  const servers: string[] = [];
  for (;;) {
    const { value } = await platform.get(guildsRequest(servers.at(-1) ?? '0'), signal);
    servers.push(...value.map(({ id }) => id));
    if (value.length < SERVERS_PAGE_SIZE) return servers;
  }
}
