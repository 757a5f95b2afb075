import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { restoreBackup } from '../../../services/cli/backup/restoreBackup.js';
import { writeBackup } from '../../../services/cli/backup/writeBackup.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { createHandlers } from '../../../services/indexer/handlers.js';
import type { TestStores } from '../../support/stores.js';

/** Makes a backup of an archive, and resolves with its folder. */
export async function backUp({ mongo }: Pick<TestStores, 'mongo'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'forum-archive-backup-'));
  await writeBackup(mongo, folder);
  return folder;
}

/**
 * Puts the records of a backup into an empty archive, calls `recorded`, and then has the views built, as
 * `forum-archive restore` does. Removes the backup.
 */
export async function restore(
  deps: IndexerDeps,
  stores: TestStores,
  folder: string,
  recorded: () => Promise<void>,
): Promise<void> {
  await restoreBackup(stores, folder);
  await recorded();
  await createHandlers(deps)['reindex-views']({});
  await rm(folder, { recursive: true });
}
