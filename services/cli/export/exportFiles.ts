import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeExport, type ExportContent } from '../../../shared/exportFormat/writeExport.js';
import { makeFolder } from '../makeFolder.js';
import { syncFolder, syncPath } from '../syncFolder.js';
import { writeError } from '../writeError.js';

/** The files of an export. */
export interface ExportFiles {
  /**
   * Writes a file of a channel. A file with its final name is always whole, also after a power cut. Throws CliError
   * where it cannot be written.
   */
  write(
    place: { serverId: string; channelId: string; name: string },
    content: ExportContent,
  ): Promise<void>;
  /** Waits until the disk holds the names of all files that were written, and of all folders above them. */
  syncNames(): Promise<void>;
}

/**
 * Makes the files of an export into a folder that exists. When the signal is aborted, what is being written is removed,
 * and `write` throws AbortError.
 */
export function createExportFiles(folder: string, signal: AbortSignal): ExportFiles {
  const folders = new Set<string>();
  return {
    async write({ serverId, channelId, name }, content) {
      const server = join(folder, serverId);
      const channel = join(server, channelId);
      folders.add(server).add(channel);
      await makeFolder(channel);
      await writeFile(join(channel, name), content, signal);
    },
    async syncNames() {
      for (const one of folders) await syncFolder(one);
      await syncPath(folder);
    },
  };
}

/**
 * Writes to a hidden file first, which no import reads. It is renamed once the disk holds it: a name may reach the disk
 * before what the file holds.
 */
async function writeFile(path: string, content: ExportContent, signal: AbortSignal): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.partial`);
  try {
    const out = createWriteStream(temporary, { flush: true });
    await pipeline(Readable.from(writeExport(content)), out, { signal });
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw writeError(path, error);
  }
}
