import type { Children } from './children.js';
import type { Env } from './findExecutable.js';
import type { Guarded } from './spawnGuarded.js';

/** What starting a server needs; paths are absolute. */
export interface ServerContext {
  env: Env;
  dataDir: string;
  logs: string;
  children: Children;
}

/** A server that answers: its name for people, its URL and its process. */
export interface LocalServer {
  name: string;
  url: string;
  child: Guarded;
}

/** The little of the environment that a server may see: no secrets of the services. */
export function serverEnv(env: Env, own: Env = {}): Env {
  const { PATH, LANG, TMPDIR } = env;
  return { PATH, LANG, TMPDIR, ...own };
}
