import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LaunchError } from './launchError.js';
import type { ServicesContext } from './services.js';

const run = promisify(execFile);

/**
 * Imports the sample archive by the command line where the archive is empty. Resolves with whether it did. An archive
 * is not empty where something was deleted, or still waits to be imported, even if no thread can be read.
 */
export async function importSampleWhenEmpty(
  { dist, env, logs, children }: ServicesContext,
  sample: string,
): Promise<boolean> {
  const cli = join(dist, 'services/cli/main.js');
  const files = await readdir(sample).catch(() => []);
  if (files.length === 0 || !(await isEmpty(cli, env))) return false;
  await children.run(
    {
      command: process.execPath,
      args: ['--enable-source-maps', cli, 'import', sample, '--wait'],
      env,
      logFile: join(logs, 'import.log'),
    },
    'The sample archive could not be imported',
  );
  return true;
}

async function isEmpty(cli: string, env: ServicesContext['env']): Promise<boolean> {
  const { stdout, stderr } = await readStatus(cli, env);
  const empty = /"empty":\s*(true|false)/.exec(stdout)?.[1];
  if (empty !== undefined) return empty === 'true';
  throw new LaunchError(
    `The archive's status could not be read: ${(stderr || stdout).slice(0, 500)}`,
  );
}

/**
 * The JSON that `status` prints. While a store is not ready, the command fails, but still prints what the others hold.
 */
async function readStatus(
  cli: string,
  env: ServicesContext['env'],
): Promise<{ stdout: string; stderr: string }> {
  try {
    return await run(process.execPath, [cli, 'status', '--json'], { env });
  } catch (error) {
    const {
      stdout = '',
      stderr = '',
      message,
    } = error as Partial<Record<'stdout' | 'stderr', string>> & Error;
    return { stdout, stderr: stderr || message };
  }
}
