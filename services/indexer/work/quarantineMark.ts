import { withoutCommand } from '../../../shared/platform/withoutCommand.js';
import { failureOf } from '../../../shared/store/quarantine.js';
import { MOST_TRIES, NEVER, type Mark } from '../../../shared/store/work.js';
import type { IndexerDeps } from '../deps.js';
import { isHeld, readsOf, released } from './claims.js';
import type { Change, Documents } from './change.js';

const MOST_REASON = 300;

/** Why a mark is quarantined, and how many of its tries failed. */
export interface Failed {
  reason: string;
  count: number;
}

/** What else happens when a mark of some kind is quarantined. */
export interface Quarantining {
  /** What operators read in place of the error, whose message may quote what is to be removed. */
  reason?: string;
  /** What `store` reads besides the mark. */
  reads?: Change<boolean>['reads'];
  /** What the transaction that quarantines the mark changes besides it. `mark` is the mark as it is stored. */
  store?: (documents: Documents, mark: Mark, failed: Failed) => void;
}

/**
 * Quarantines a claimed mark: nobody takes it until its subject changes or an operator releases it. `error` is why its
 * last run failed.
 */
export async function quarantineMark(
  deps: IndexerDeps,
  mark: Mark,
  error: string,
  { reason = withoutCommand(error), reads, store }: Quarantining,
): Promise<void> {
  const { kind, subject, tries = 0 } = mark;
  const failed = { reason: reason.slice(0, MOST_REASON), count: Math.min(tries, MOST_TRIES) };
  // Somebody may set the quarantined mark again. If its last run threw an error, the mark then has one try left. If its
  // last run ended the process, the mark has none, because a further run would probably end the process again.
  const left = tries > MOST_TRIES ? tries : MOST_TRIES - 1;
  const isQuarantined = await deps.commit({
    reads: { ...readsOf([mark]), ...reads },
    decide(documents) {
      if (!isHeld(documents, mark)) return false;
      const now = documents.get('work', mark._id)!;
      // The mark was set again meanwhile, with causes that this run does not know. Somebody waits for these.
      if (now.token !== mark.token) {
        documents.put('work', { ...released(now), tries: left });
        return false;
      }
      const failure = failureOf(now.failure, { ...about(now), ...failed, revision: 0 });
      const { causes: _causes, ...rest } = released(now);
      documents.put('work', { ...rest, due: NEVER, tries: left, failure });
      store?.(documents, now, failed);
      return true;
    },
  });
  if (!isQuarantined) return;
  deps.logger.error({ kind, subject, ...failed }, 'Quarantined: it fails every time');
}

/** Under which kind and subject operators see the failure of a mark, and which thread it concerns. */
function about({ _id, kind, subject, changed }: Mark) {
  if (kind === 'thread') return { kind, subject, threadId: subject };
  if (kind === 'file') return { kind, subject, threadId: changed?.threadId ?? null };
  return { kind: 'work' as const, subject: _id, threadId: null };
}
