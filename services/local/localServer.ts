import type { Children } from './children.js';
import type { Env } from './findExecutable.js';
import type { Guarded } from './spawnGuarded.js';

/** What is needed to start a server. Paths are absolute. */
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

/** The few variables of the environment that a server may see. They hold no secrets of the services. */
export function serverEnv(env: Env, own: Env = {}): Env {
  const { PATH, LANG, TMPDIR } = env;
  return { PATH, LANG, TMPDIR, ...own };
}
