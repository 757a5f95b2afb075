import type { Command } from 'commander';
import { DEFAULT_SAMPLE } from '../../../shared/contract/verify.js';
import { refileLost } from '../../../shared/jobs/refileLost.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { counted, formatCount } from '../numbers.js';
import type { Archive } from '../openArchive.js';
import { requireMongo, requireQueue } from '../reachable.js';
import { reindexSearch } from '../reindex/reindexSearch.js';
import { reindexViews } from '../reindex/reindexViews.js';
import { runCommand, warn, type Result } from '../runCommand.js';
import { runDeed } from '../runDeed.js';
import { verifyWhole } from '../verify/verifyWhole.js';
import type { Manifest } from './backupFormat.js';
import { restoreBackup } from './restoreBackup.js';
import { writeBackup } from './writeBackup.js';

interface Options {
  json?: boolean;
}

/** `backup <folder>` */
export function addBackup(program: Command): void {
  program
    .command('backup')
    .description(
      'Write all that cannot be built again into a folder: records, deletions, erasures, keys',
    )
    .argument('<folder>', 'an empty folder, or one to be made')
    .option('--json', 'print what it holds as JSON')
    .action(async (folder: string, options: Options) => {
      await runCommand(options, async (archive) => {
        await requireMongo(archive);
        const manifest = await writeBackup(archive.mongo, folder);
        if (!manifest.snapshot) {
          warn('This MongoDB has no snapshots: let nothing be written while a backup is made');
        }
        return { json: manifest, lines: [heldLine('Backed up', manifest)], ok: true };
      });
    });
}

/** `restore <folder>` */
export function addRestore(program: Command): void {
  program
    .command('restore')
    .description('Put a backup into an empty archive, build what is read of it, and verify it')
    .argument('<folder>', 'what backup wrote')
    .option('--json', 'print the report as JSON')
    .action(async (folder: string, options: Options) => {
      await runDeed(options, { operation: 'restore', params: {} }, async (archive) => {
        await requireMongo(archive);
        await requireQueue(archive);
        return restore(archive, folder);
      });
    });
}

async function restore(archive: Archive, folder: string): Promise<Result> {
  const manifest = await restoreBackup(archive.mongo, folder);
  // A job of these very files that ended in an earlier archive would keep them from having another.
  for (const state of ['completed', 'failed'] as const) await archive.queue.clean(0, 0, state);
  // What of it is left over, the indexer files itself.
  await refileLost(archive.mongo.collections, archive.producer, 0);
  const lines = [heldLine('Restored', manifest)];
  // Documents that were written after the backup would stay in an index that is only written to.
  const steps = (await hasDocuments(archive)) ? [reindexViews, reindexSearch] : [reindexViews];
  for (const step of steps) {
    const built = await step(archive, { wait: true });
    lines.push(...built.lines);
    if (!built.ok) return { ...built, lines };
  }
  const verified = await verifyWhole(archive, {
    ...{ repair: false, sample: DEFAULT_SAMPLE, wait: true },
  });
  const { ok } = verified;
  return {
    json: { backup: manifest, verify: verified.json },
    lines: [...lines, ...verified.lines],
    ok,
  };
}

async function hasDocuments({ elasticsearch, mongo }: Archive): Promise<boolean> {
  const index = searchAlias(mongo.namespace);
  if (!(await elasticsearch.indices.existsAlias({ name: index }))) return false;
  await elasticsearch.indices.refresh({ index });
  return (await elasticsearch.count({ index })).count > 0;
}

function heldLine(done: string, { collections, createdAt }: Manifest): string {
  const { threads, messages, erasures } = collections;
  const bytes = Object.values(collections).reduce((sum, file) => sum + file.bytes, 0);
  const size = `${formatCount(Math.ceil(bytes / 1_000))} kB`;
  const amounts = [
    counted(threads.documents, 'thread'),
    counted(messages.documents, 'message'),
    counted(erasures.documents, 'erasure'),
  ];
  return `${done} ${amounts.join(', ')} (${size}, as of ${createdAt})`;
}
