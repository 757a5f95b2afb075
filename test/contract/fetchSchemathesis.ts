import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { cacheFolder } from '../../services/local/cacheFolder.js';
import { requirePython } from '../../services/local/requireTools.js';

const REQUIREMENTS = 'test/contract/requirements.txt';

/** The path of Schemathesis. pip installs it once, in a virtual environment of its own in the cache. */
export async function fetchSchemathesis(env: NodeJS.ProcessEnv): Promise<string> {
  const wanted = await readFile(REQUIREMENTS);
  const name = createHash('sha256').update(wanted).digest('hex').slice(0, 12);
  const folder = join(await cacheFolder(env), `schemathesis-${name}`);
  const done = join(folder, 'installed');
  if (!existsSync(done)) {
    await run(await requirePython(env), ['-m', 'venv', '--clear', folder]);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    await run(join(folder, 'bin/python'), [...pip, '--requirement', REQUIREMENTS]);
    await writeFile(done, '');
  }
  return join(folder, 'bin/schemathesis');
}

/** Runs a program to its end, and shows its output. Throws unless it exits with 0. */
async function run(command: string, args: string[]): Promise<void> {
  const code = await runShown(command, args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
}

/** Runs a program, shows its output, and resolves with its exit code. Aborting the signal ends it, and rejects. */
export function runShown(
  command: string,
  args: string[],
  options: { env?: NodeJS.ProcessEnv; signal?: AbortSignal } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', reject).on('exit', (code) => resolve(code ?? 1));
  });
}
