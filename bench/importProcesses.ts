import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess } from './endWithThisProcess.js';

/** Starts an indexer as a process of its own, in a session of its own, as the launcher does. */
export function startIndexer(env: NodeJS.ProcessEnv): ChildProcess {
  const indexer = spawn(process.execPath, [service('indexer')], {
    env,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  endWithThisProcess(indexer);
  return indexer;
}

/**
 * Imports folders by the command line, which prints its own summary. It has a session of its own, as one that `setsid`
 * runs.
 */
export function startImport(env: NodeJS.ProcessEnv, folders: readonly string[]): ChildProcess {
  const cli = spawn(process.execPath, [service('cli'), 'import', ...folders], {
    env,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  endWithThisProcess(cli);
  return cli;
}

function service(name: string): string {
  return fileURLToPath(new URL(`../services/${name}/main.js`, import.meta.url));
}
