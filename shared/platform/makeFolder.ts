import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder, and the folders above it, where there are none. Node's own `recursive` never ends where the system
 * does not allow folders, as in /proc.
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
