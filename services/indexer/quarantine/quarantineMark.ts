import { withoutCommand } from '../../../shared/platform/withoutCommand.js';
import { failureOf } from '../../../shared/store/quarantine.js';
import { MOST_TRIES, NEVER, type Mark } from '../../../shared/store/work.js';
import { takeOut } from '../build/takeOut.js';
import type { IndexerDeps } from '../deps.js';
import { removeUnwanted } from '../mirror/removeUnwanted.js';
import { isHeld, readsOf, released } from '../work/claims.js';
import type { Documents } from '../work/commit.js';

const MOST_REASON = 300;

/** Causes that take nothing out of a thread. Every other cause may. */
const KEEPING = /^(import|reindex-views|verify)\//;

/**
 * Quarantines a claimed mark: nobody takes it until its subject changes or an operator releases it. The last views of a
 * thread stay, unless a cause of the mark has deleted, erased, withheld or left out something of the thread. Then the
 * thread's views and search documents are removed. Where the copying of a subject's files failed, copies of files that
 * are not shown any more are still removed, because removing them fetches nothing. An imported file is rejected, and its
 * upload is kept for another try.
 */
export async function quarantineMark(deps: IndexerDeps, mark: Mark, cause: string): Promise<void> {
  const { kind, subject, tries = 0, causes = [] } = mark;
  const isRemoval = kind === 'thread' && causes.some((one) => !KEEPING.test(one));
  if (isRemoval) await takeOut(deps, mark);
  if (kind === 'mirror') await removeUnwanted(deps, deps.mirror, mark);
  // The message of the failure may quote what is to be removed.
  const said = isRemoval
    ? 'It could not be built, and is not shown any more'
    : withoutCommand(cause);
  const failed = { reason: said.slice(0, MOST_REASON), count: Math.min(tries, MOST_TRIES) };
  // Somebody may set the quarantined mark again. If its last run threw an error, the mark then has one try left. If its
  // last run ended the process, the mark has none, because a further run would probably end the process again.
  const left = tries > MOST_TRIES ? tries : MOST_TRIES - 1;
  const isQuarantined = await deps.commit({
    reads: { ...readsOf([mark]), importFiles: kind === 'file' ? [subject] : [] },
    decide(documents) {
      if (!isHeld(documents, mark)) return false;
      const now = documents.get('work', mark._id)!;
      // The mark was set again meanwhile, with causes that this run does not know. Somebody waits for these.
      if (now.token !== mark.token) {
        documents.put('work', { ...released(now), tries: left });
        return false;
      }
      const about = kind === 'file' ? rejectFile(documents, now, failed) : aboutMark(mark);
      const failure = failureOf(now.failure, { ...about, ...failed, revision: 0 });
      const { causes: _causes, ...rest } = released(now);
      documents.put('work', { ...rest, due: NEVER, tries: left, failure });
      // A `lists` mark has threads looked for that forward messages of this thread. A build would set it, but no build
      // will succeed.
      if (kind === 'thread' && !isRemoval && !now.failure) documents.mark('lists', subject);
      return true;
    },
  });
  if (!isQuarantined) return;
  deps.logger.error({ kind, subject, ...failed }, 'Quarantined: it fails every time');
}

function aboutMark({ _id, kind, subject }: Mark) {
  if (kind === 'thread') return { kind, subject, threadId: subject };
  return { kind: 'work' as const, subject: _id, threadId: null };
}

function rejectFile(
  documents: Documents,
  { subject, changed }: Mark,
  { reason, count }: { reason: string; count: number },
) {
  const file = documents.get('importFiles', subject);
  if (file) {
    const outcome = {
      reason: `Quarantined after ${count} tries. ${reason}`,
      finishedAt: new Date(),
    };
    documents.put('importFiles', { ...file, ...changed, ...outcome, state: 'rejected' });
  }
  return { kind: 'file' as const, subject, threadId: changed?.threadId ?? null };
}
