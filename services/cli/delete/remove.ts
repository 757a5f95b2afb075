import type { AuditEntry } from '../../../shared/store/audit.js';
import { CliError } from '../cliError.js';
import type { Archive } from '../openArchive.js';
import { requireQueue } from '../reachable.js';
import { audited } from '../runAudited.js';
import { runCommand, warn } from '../runCommand.js';
import { runJob, type CommandJob } from '../runJob.js';
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
  /** Files its job, and resolves with the job's id. */
  file(archive: Archive): Promise<string>;
  /** The result of its job, in lines for people. */
  linesOf(removed: Record<string, number>): string[];
}

/**
 * Carries out a deletion or an erasure. On a terminal, it first shows what will be removed, and asks. Where the archive
 * does not know the subject, it refuses, and files nothing. With `evenIfUnknown`, it only says so, and goes on.
 */
export async function remove(removal: Removal, options: RemovalOptions): Promise<void> {
  await runCommand(options, async (archive) => {
    await requireQueue(archive);
    const target = await removal.find(archive);
    const { unknown } = target;
    if (unknown === undefined && !options.yes && !(await confirmRemoval(target)))
      return { json: { state: 'declined' }, lines: ['Nothing was removed'], ok: false };
    return audited(archive, removal.entry, async () => {
      if (unknown !== undefined && !options.evenIfUnknown) throw new CliError(unknown);
      if (unknown !== undefined) warn(unknown);
      return runJob(archive, jobOf(archive, removal), options.wait !== false);
    });
  });
}

function jobOf(archive: Archive, removal: Removal): CommandJob {
  return {
    label: 'remove',
    isRecorded: true,
    file: () => removal.file(archive),
    resultOf(result, jobId) {
      const removed = result as Record<string, number>;
      return { json: { jobId, state: 'done', removed }, lines: removal.linesOf(removed), ok: true };
    },
  };
}
