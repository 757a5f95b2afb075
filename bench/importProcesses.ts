import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Starts an indexer as a process of its own, in a session of its own, as the launcher and Docker do. */
export function startIndexer(env: NodeJS.ProcessEnv): ChildProcess {
  const indexer = spawn(process.execPath, [service('indexer')], {
    env,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  process.once('exit', () => indexer.kill('SIGKILL'));
  return indexer;
}

/** Stops an indexer, and waits until it has ended. */
export async function stopIndexer(indexer: ChildProcess): Promise<void> {
  const ended = once(indexer, 'exit');
  if (indexer.kill('SIGTERM')) await ended;
}

/** Imports folders by the command line, which prints its own summary. */
export function startImport(env: NodeJS.ProcessEnv, folders: readonly string[]): ChildProcess {
  const cli = execFile(process.execPath, [service('cli'), 'import', ...folders], { env });
  cli.stdout?.pipe(process.stdout);
  return cli;
}

function service(name: string): string {
  return fileURLToPath(new URL(`../services/${name}/main.js`, import.meta.url));
}
