import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A service of this project as a process of its own. */
export interface ServiceProcess {
  pid: number;
  /** Lines of its log so far, parsed. */
  log: Record<string, unknown>[];
  /** What it wrote to standard error so far. */
  stderr(): string;
  /** Resolves with the first line that has this message, also one that was logged before; rejects when it ends without. */
  logged(message: string): Promise<Record<string, unknown>>;
  /** Its exit code, once it has ended; null when a signal ended it. */
  exited: Promise<number | null>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts dist/services/<service>/main.js. Its environment is the given one over the test's own. */
export function startProcess(
  service: 'api' | 'indexer',
  env: Record<string, string>,
): ServiceProcess {
  const main = fileURLToPath(new URL(`../../services/${service}/main.js`, import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    log.push(...lines.map((line) => JSON.parse(line) as Record<string, unknown>));
    for (const check of waiting) check();
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  return {
    pid: child.pid ?? 0,
    log,
    stderr: () => complaints,
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
        void exited.then(() => reject(new Error(`It ended without "${message}": ${complaints}`)));
        check();
      }),
  };
}
