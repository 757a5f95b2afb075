import { open, type FileHandle } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** What the system answers where a folder may not be opened, or where its file system cannot write a folder by itself. */
const NOT_POSSIBLE = new Set(['EACCES', 'EBADF', 'EINVAL', 'EISDIR', 'ENOTSUP', 'EROFS']);

/**
 * Waits until the disk holds the entries of a folder: the names of its files and folders. The sync of a file does not
 * include its name. Does nothing where the system cannot do this for the folder.
 */
export async function syncFolder(folder: string): Promise<void> {
  let opened: FileHandle | undefined;
  try {
    opened = await open(folder);
    await opened.sync();
  } catch (error) {
    if (!NOT_POSSIBLE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await opened?.close();
  }
}

/**
 * Waits until the disk holds the entries of a folder and of all folders above it. Whoever made the folder may also have
 * made some of these, now or in a run that was cut off.
 */
export async function syncPath(folder: string): Promise<void> {
  const above = dirname(resolve(folder));
  await syncFolder(folder);
  if (above !== resolve(folder)) await syncPath(above);
}
