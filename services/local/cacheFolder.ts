import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Env } from './findExecutable.js';
import { isOpenToOthers, otherUser } from './otherUser.js';

/**
 * The folder for downloaded servers: `forum-archive` in XDG_CACHE_HOME or ~/.cache. As root, Elasticsearch is run by
 * another user. Where that user could not read the folder, it is put under /var/cache.
 */
export async function cacheFolder(env: Env): Promise<string> {
  const xdg = env['XDG_CACHE_HOME'];
  const home = env['HOME'] || userInfo().homedir;
  const base = xdg !== undefined && isAbsolute(xdg) ? xdg : join(home, '.cache');
  const readable = otherUser() === undefined || (await isOpenToOthers(base));
  return join(readable ? base : '/var/cache', 'forum-archive');
}
