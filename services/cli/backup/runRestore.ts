import { refileLost } from '../../../shared/jobs/refileLost.js';
import { counted } from '../numbers.js';
import type { Archive } from '../openArchive.js';
import { requireQueue } from '../reachable.js';
import { reindexViews } from '../reindex/reindexViews.js';
import type { Result } from '../runCommand.js';
import { runAudited } from '../runAudited.js';
import { verifyWhole } from '../verify/verifyWhole.js';
import { heldLine } from './heldLine.js';
import { restoreBackup } from './restoreBackup.js';

/** The limit that lets `refileLost` file the jobs of all work. */
const ALL_JOBS = 0;

/** Options of `restore`. */
export interface RestoreOptions {
  keys?: boolean;
  json?: boolean;
}

/**
 * Restores a backup, builds its views and search documents, and verifies the archive. The result is ok where nothing
 * differs.
 */
export async function runRestore(folder: string, options: RestoreOptions): Promise<void> {
  const { keys = false } = options;
  await runAudited(options, { operation: 'restore', params: { keys } }, async (archive) => {
    await requireQueue(archive);
    return restore(archive, folder, keys);
  });
}

async function restore(archive: Archive, folder: string, keys: boolean): Promise<Result> {
  const { manifest, revokedKeys } = await restoreBackup(archive, folder, { keys });
  // A finished job of an earlier archive for the same file would keep the file from getting a new job.
  for (const state of ['completed', 'failed'] as const)
    await archive.producer.queue.clean(0, 0, state);
  await refileLost(archive.mongo.collections, archive.producer, 0, ALL_JOBS);
  const built = await reindexViews(archive, { wait: true });
  const lines = [heldLine('Restored', manifest), ...keyLines(revokedKeys), ...built.lines];
  if (!built.ok) return { ...built, lines };
  const verified = await verifyWhole(archive, { repair: false, wait: true });
  const { ok } = verified;
  return {
    json: { backup: manifest, revokedKeys, verify: verified.json },
    lines: [...lines, ...verified.lines],
    ok,
  };
}

function keyLines(revokedKeys: number): string[] {
  if (revokedKeys === 0) return [];
  const keys = counted(revokedKeys, 'API key');
  return [
    `Revoked ${keys} of the backup, as they may have been revoked since: make new ones by keys create`,
  ];
}
