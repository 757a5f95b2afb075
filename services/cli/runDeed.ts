import { userInfo } from 'node:os';
import type { Deed } from '../../shared/store/audit.js';
import { endDeed, recordDeed } from '../../shared/store/recordDeed.js';
import type { Archive } from './openArchive.js';
import { messageOf, requireMongo } from './reachable.js';
import { runCommand, warn, type Result } from './runCommand.js';

const LONGEST_NAME = 64;

/** Runs a command that changes the archive: it stands in the audit trail from before it begins, cut off or not. */
export async function runDeed(
  options: { json?: boolean },
  deed: Pick<Deed, 'operation' | 'params'>,
  command: (archive: Archive) => Promise<Result>,
): Promise<void> {
  await runCommand(options, async (archive) => {
    await requireMongo(archive);
    const { collections } = archive.mongo;
    const caller = { kind: 'cli', id: systemUser() };
    const deedId = await recordDeed(collections, { ...deed, caller, outcome: 'started' });
    const end = (ending: Pick<Deed, 'outcome' | 'jobId'>): Promise<void> =>
      // What was done is told all the same: a new key is shown only now.
      endDeed(collections, deedId, ending).catch((error: unknown) => {
        warn(`The audit trail does not tell how this ended: ${messageOf(error)}`);
      });
    try {
      const result = await command(archive);
      const { ok, jobId } = result;
      await end({ outcome: ok ? 'done' : 'failed', ...(jobId === undefined ? {} : { jobId }) });
      return result;
    } catch (error) {
      await end({ outcome: 'failed' });
      throw error;
    }
  });
}

/** Who runs this process; its number where the system has no name for it. */
function systemUser(): string {
  try {
    return userInfo().username.slice(0, LONGEST_NAME);
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
