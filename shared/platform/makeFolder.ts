import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it, where there is none. Node's own `recursive` never ends where the system has no
 * folder made, as in /proc.
 */
export async function makeFolder(folder: string, options: { mode?: number } = {}): Promise<void> {
  const above = dirname(folder);
  if (!existsSync(above)) await makeFolder(above, options);
  try {
    await mkdir(folder, options);
  } catch (error) {
    const isThere = await stat(folder)
      .then((stats) => stats.isDirectory())
      .catch(() => false);
    if (!isThere) throw error;
  }
}
