import { userInfo } from 'node:os';
import type { AuditEntry } from '../../shared/store/audit.js';
import { endAuditEntry, recordAuditEntry } from '../../shared/store/recordAuditEntry.js';
import type { Archive } from './openArchive.js';
import { messageOf } from './reachable.js';
import { runCommand, warn, type Result, type RunOptions } from './runCommand.js';

const LONGEST_NAME = 64;

type Asked = Pick<AuditEntry, 'operation' | 'params'>;

/** Runs a command that changes the archive. Its audit entry is stored before it begins, and completed when it ends. */
export async function runAudited(
  options: RunOptions,
  entry: Asked,
  command: (archive: Archive) => Promise<Result>,
): Promise<void> {
  await runCommand(options, (archive) => audited(archive, entry, () => command(archive)));
}

/** Runs the part of a command that changes the archive, with an audit entry as above. */
export async function audited(
  archive: Archive,
  entry: Asked,
  work: () => Promise<Result>,
): Promise<Result> {
  const { collections } = archive.mongo;
  const caller = { kind: 'cli', id: systemUser() };
  const entryId = await recordAuditEntry(collections, { ...entry, caller, outcome: 'started' });
  const end = (ending: Pick<AuditEntry, 'outcome' | 'jobId'>): Promise<void> =>
    // Where this fails, the result is printed all the same. For example, a new key is shown only now.
    endAuditEntry(collections, entryId, ending).catch((error: unknown) => {
      warn(`The audit trail does not tell how this ended: ${messageOf(error)}`);
    });
  try {
    const result = await work();
    const { ok, jobId } = result;
    await end({ outcome: ok ? 'done' : 'failed', ...(jobId === undefined ? {} : { jobId }) });
    return result;
  } catch (error) {
    await end({ outcome: 'failed' });
    throw error;
  }
}

/** The name of the system user who runs this process, or the number where there is no name. */
function systemUser(): string {
  try {
    return userInfo().username.slice(0, LONGEST_NAME);
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
