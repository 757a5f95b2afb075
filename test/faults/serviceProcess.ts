import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { until } from '../support/apiServer.js';

/** A service as a process of its own, to be killed and paused. */
export interface ServiceProcess {
  pid: number;
  /** Its log so far. */
  log(): string;
  /** How it ended: a signal's name or an exit code. */
  ended: Promise<string | number>;
  isRunning(): boolean;
  /** Sends a signal and, unless it only pauses or wakes the process, waits for its end. */
  signal(name: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
}

/** What each service logs when it is at work. */
const READY = { indexer: '"The indexer is ready"', api: '"Listening"' } as const;

const main = (service: string): string =>
  fileURLToPath(new URL(`../../services/${service}/main.js`, import.meta.url));

/** Starts a service of dist/services with an environment. `isReady` tells when it is at work. */
export function spawnService(
  service: keyof typeof READY,
  env: NodeJS.ProcessEnv,
): ServiceProcess & { isReady(): boolean } {
  const child = spawn(process.execPath, ['--enable-source-maps', main(service)], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (log += text));
  }
  let running = true;
  const ended = new Promise<string | number>((resolve) => {
    child.on('exit', (code, signal) => {
      running = false;
      resolve(signal ?? code ?? 1);
    });
  });
  return {
    pid: child.pid!,
    log: () => log,
    ended,
    isRunning: () => running,
    isReady: () => log.includes(READY[service]),
    async signal(name) {
      if (!running) return;
      child.kill(name);
      if (name === 'SIGKILL' || name === 'SIGTERM') await ended;
    },
  };
}

/** The same, once it is at work. Throws with its log when it ends before. */
export async function startService(
  service: keyof typeof READY,
  env: NodeJS.ProcessEnv,
): Promise<ServiceProcess> {
  const started = spawnService(service, env);
  await until(() => started.isReady() || !started.isRunning(), 60_000).catch(() => undefined);
  if (started.isReady()) return started;
  await started.signal('SIGKILL');
  throw new Error(`The ${service} did not start:\n${started.log()}`);
}

/** The address an API process listens on. */
export function urlOf(api: ServiceProcess): string {
  return /"url":"([^"]+)"/.exec(api.log())?.[1] ?? '';
}
