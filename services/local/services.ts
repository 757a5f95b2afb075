import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Readiness } from '../../shared/contract/health.js';
import type { Children } from './children.js';
import type { Env } from './findExecutable.js';
import type { Guarded } from './spawnGuarded.js';
import { crashError, waitUntilReady } from './waitUntilReady.js';

/** The folder of the compiled program, `dist`. */
export const DIST = fileURLToPath(new URL('../..', import.meta.url));

/** What the services are started with. */
export interface ServicesContext {
  dist: string;
  env: Env;
  logs: string;
  children: Children;
  /** Restarts a service when its compiled files change. */
  watch: boolean;
}

/** A running service. */
export interface Service {
  name: string;
  child: Guarded;
}

/** Starts the service dist/services/<folder>/main.js. Its output goes to a log of its own. */
export function startService(
  name: string,
  folder: string,
  { dist, env, logs, children, watch }: ServicesContext,
): Service {
  const main = join(dist, 'services', folder, 'main.js');
  const child = children.spawn({
    command: process.execPath,
    args: ['--enable-source-maps', ...(watch ? ['--watch', '--watch-preserve-output'] : []), main],
    env,
    logFile: join(logs, `${folder}.log`),
    graceMs: 20_000,
  });
  return { name, child };
}

/** Rejects with a LaunchError when a service ends. */
export async function failWhenEnded({ name, child }: Service): Promise<never> {
  throw await crashError(name, child, await child.exited);
}

/**
 * Waits until the API reports that its stores can be reached. Otherwise throws LaunchError with the end of the API's
 * log.
 */
export async function waitForApi(
  service: Service,
  apiUrl: string,
  timeoutMs = 60_000,
): Promise<void> {
  const isReady = async (): Promise<boolean> => {
    const response = await fetch(`${apiUrl}/readyz`, { signal: AbortSignal.timeout(2000) });
    const told = (await response.json()) as Readiness;
    if (response.status === 200) return true;
    const away = STORES.filter(([key]) => told.stores[key] !== 'up').map(([, name]) => name);
    throw new Error(`no answer of ${away.join(', ')}`);
  };
  await waitUntilReady(service.name, service.child, isReady, timeoutMs);
}

const STORES: [keyof Readiness['stores'], string][] = [
  ['mongodb', 'MongoDB'],
  ['elasticsearch', 'Elasticsearch'],
  ['redis', 'Redis'],
];
