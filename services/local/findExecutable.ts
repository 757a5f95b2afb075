import { access, constants, stat } from 'node:fs/promises';
import { delimiter, resolve } from 'node:path';

/** Variables of an environment. */
export type Env = Record<string, string | undefined>;

/** The absolute path of the first of these programs on the PATH; undefined where none is there. */
export async function findExecutable(env: Env, ...names: string[]): Promise<string | undefined> {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of names) {
    for (const folder of folders) {
      const path = resolve(folder, name);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

/** Whether a path leads to a file that this user may execute. */
export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
