import type { AuditEntry } from '../../../shared/store/audit.js';
import { CliError } from '../cliError.js';
import type { Archive } from '../openArchive.js';
import { requireMongo, requireQueue } from '../reachable.js';
import { warnWithoutIndexer } from '../reindex/warnWithoutIndexer.js';
import { runCommand, type Result } from '../runCommand.js';
import { audited } from '../runAudited.js';
import { watchJob } from '../watchJob.js';
import { confirmRemoval } from './confirmRemoval.js';
import type { Target } from './target.js';

/** Options of a deletion or erasure. */
export interface RemovalOptions {
  yes?: boolean;
  evenIfUnknown?: boolean;
  wait?: boolean;
  json?: boolean;
}

/** A deletion or an erasure. */
export interface Removal {
  entry: Pick<AuditEntry, 'operation' | 'params'>;
  find(archive: Archive): Promise<Target>;
  /** Files its job, and gives the job's id. */
  file(archive: Archive): Promise<string>;
  /** The result of its job, in lines for people. */
  linesOf(removed: Record<string, number>): string[];
}

/**
 * Carries out a deletion or an erasure. On a terminal it shows first what will be removed, and asks. Without
 * `evenIfUnknown`, something that the archive does not know is refused, and nothing is filed.
 */
export async function remove(removal: Removal, options: RemovalOptions): Promise<void> {
  await runCommand(options, async (archive) => {
    await requireMongo(archive);
    await requireQueue(archive);
    const target = await removal.find(archive);
    const { unknown } = target;
    if (unknown === undefined && !options.yes && !(await confirmRemoval(target)))
      return { json: { state: 'declined' }, lines: ['Nothing was removed'], ok: false };
    return audited(archive, removal.entry, async () => {
      if (unknown !== undefined && !options.evenIfUnknown) throw new CliError(unknown);
      return carryOut(archive, removal, options);
    });
  });
}

async function carryOut(
  archive: Archive,
  removal: Removal,
  { wait }: RemovalOptions,
): Promise<Result> {
  const jobId = await removal.file(archive);
  if (wait === false) return { jobId, json: { jobId }, lines: [`Queued as ${jobId}`], ok: true };
  await warnWithoutIndexer(archive);
  const { error, result } = await watchJob(archive, jobId, 'remove');
  if (error !== null) {
    const json = { jobId, state: 'failed', error };
    return { jobId, json, lines: [`Failed: ${error}`], ok: false };
  }
  const removed = result as Record<string, number>;
  return {
    jobId,
    json: { jobId, state: 'done', removed },
    lines: removal.linesOf(removed),
    ok: true,
  };
}
