import { makeFolder as make } from '../../shared/platform/makeFolder.js';
import { writeError } from './writeError.js';

/** Makes a folder, and the folders above it, where there are none. Throws CliError. */
export async function makeFolder(folder: string, options: { mode?: number } = {}): Promise<void> {
  await make(folder, options).catch((error: unknown) => {
    throw writeError(folder, error);
  });
}
