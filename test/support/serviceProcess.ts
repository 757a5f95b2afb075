import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { withTimeout } from '../../shared/platform/withTimeout.js';

/** A service of this project that runs as a process of its own. */
export interface ServiceProcess {
  pid: number;
  /** The lines of its log so far, parsed. */
  log: Record<string, unknown>[];
  /** Everything that it has written so far. */
  output(): string;
  /**
   * Resolves with the first line that has this message, which may have been logged before. Rejects where the process
   * ends without it.
   */
  logged(message: string): Promise<Record<string, unknown>>;
  /** Its exit code, or the signal that ended it. It resolves once everything that it wrote has arrived. */
  exited: Promise<number | NodeJS.Signals>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts dist/services/<service>/main.js as one process. The given environment is added to that of the test. */
export function startProcess(service: 'api' | 'indexer', env: NodeJS.ProcessEnv): ServiceProcess {
  const main = fileURLToPath(new URL(`../../services/${service}/main.js`, import.meta.url));
  const child = spawn(process.execPath, ['--enable-source-maps', main], {
    env: { ...process.env, API_PROCESSES: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  let output = '';
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    log.push(...lines.map((line) => JSON.parse(line) as Record<string, unknown>));
    for (const check of waiting) check();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  // Its end may be known before its last words are read. They have arrived when its pipes are closed.
  const exited = new Promise<number | NodeJS.Signals>((resolve) =>
    child.on('close', (code, signal) => resolve(signal ?? code ?? 1)),
  );
  return {
    pid: child.pid ?? 0,
    log,
    output: () => output,
    exited,
    kill: (signal) => void child.kill(signal),
    logged: (message) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const line = log.find(({ msg }) => msg === message);
          if (!line) return;
          waiting.delete(check);
          resolve(line);
        };
        waiting.add(check);
        void exited.then(() => reject(new Error(`It ended without "${message}":\n${output}`)));
        check();
      }),
  };
}

/** The message that each service logs when it is ready. */
const READY = { indexer: 'The indexer is ready', api: 'Listening' } as const;
const READY_WITHIN_MS = 120_000;

/**
 * Starts a service, and resolves when it is ready. Rejects with all that it wrote where it ends before, or never gets
 * ready.
 */
export async function startService(
  service: keyof typeof READY,
  env: NodeJS.ProcessEnv,
): Promise<ServiceProcess> {
  const started = startProcess(service, env);
  try {
    await withTimeout(READY_WITHIN_MS, () => started.logged(READY[service]));
    return started;
  } catch (error) {
    await end(started, 'SIGKILL');
    throw new Error(`The ${service} did not start:\n${started.output()}`, { cause: error });
  }
}

/** Ends a process by a signal, and resolves with how it ended. */
export function end(
  service: ServiceProcess,
  signal: 'SIGKILL' | 'SIGTERM',
): ServiceProcess['exited'] {
  service.kill(signal);
  return service.exited;
}

/** The address that an API process has logged. */
export function urlOf({ log }: ServiceProcess): string {
  return log.find(({ msg }) => msg === READY.api)?.['url'] as string;
}
