import { announceEverything } from '../../../shared/jobs/announcements.js';
import { refileLost } from '../../../shared/jobs/refileLost.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { counted } from '../numbers.js';
import type { Archive } from '../openArchive.js';
import { requireCache, requireMongo, requireQueue } from '../reachable.js';
import { reindexSearch } from '../reindex/reindexSearch.js';
import { reindexViews } from '../reindex/reindexViews.js';
import type { Result } from '../runCommand.js';
import { runAudited } from '../runAudited.js';
import { verifyWhole } from '../verify/verifyWhole.js';
import { heldLine } from './heldLine.js';
import { restoreBackup } from './restoreBackup.js';

/** Options of `restore`. */
export interface RestoreOptions {
  keys?: boolean;
  json?: boolean;
}

/**
 * Restores a backup, builds its views and search documents, and verifies the archive. Ends well when nothing differs.
 */
export async function runRestore(folder: string, options: RestoreOptions): Promise<void> {
  const { keys = false } = options;
  await runAudited(options, { operation: 'restore', params: { keys } }, async (archive) => {
    await requireMongo(archive);
    await requireQueue(archive);
    await requireCache(archive);
    return restore(archive, folder, keys);
  });
}

async function restore(archive: Archive, folder: string, keys: boolean): Promise<Result> {
  const { manifest, revokedKeys } = await restoreBackup(archive.mongo, folder, { keys });
  // A finished job of an earlier archive about the same file would keep the file from getting a new job.
  for (const state of ['completed', 'failed'] as const) await archive.queue.clean(0, 0, state);
  // The indexer files the rest by itself.
  await refileLost(archive.mongo.collections, archive.producer, 0);
  const lines = [heldLine('Restored', manifest), ...keyLines(revokedKeys)];
  // A new index is built. In the present one, documents that were written after the backup would stay.
  const steps = (await hasDocuments(archive)) ? [reindexViews, reindexSearch] : [reindexViews];
  for (const step of steps) {
    const built = await step(archive, { wait: true });
    lines.push(...built.lines);
    if (!built.ok) return { ...built, lines };
  }
  // An API that served this archive before holds answers of then.
  await announceEverything(archive.cacheRedis, archive.mongo.namespace);
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

async function hasDocuments({ elasticsearch, mongo }: Archive): Promise<boolean> {
  const index = searchAlias(mongo.namespace);
  if (!(await elasticsearch.indices.existsAlias({ name: index }))) return false;
  await elasticsearch.indices.refresh({ index });
  return (await elasticsearch.count({ index })).count > 0;
}
