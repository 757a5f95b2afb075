import { runCommand, warn } from '../runCommand.js';
import { heldLine } from './heldLine.js';
import { writeBackup } from './writeBackup.js';

/** Writes a backup, and prints what it holds. */
export async function runBackup(folder: string, options: { json?: boolean }): Promise<void> {
  await runCommand(options, async (archive) => {
    const manifest = await writeBackup(archive.mongo, folder);
    if (!manifest.snapshot) {
      warn('This MongoDB has no snapshots: let nothing be written while a backup is made');
    }
    return { json: manifest, lines: [heldLine('Backed up', manifest)], ok: true };
  });
}
