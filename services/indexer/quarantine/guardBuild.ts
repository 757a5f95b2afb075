import type { ThreadRecord } from '../../../shared/store/records.js';
import { quarantineId } from '../../../shared/store/quarantine.js';
import type { IndexerDeps } from '../deps.js';
import { isPassing } from '../permanentErrors.js';
import { createTurns } from './oneAtATime.js';
import { recordFailure } from './recordFailure.js';
import { countTries, forgetTries, MOST_TRIES, takeBackTry } from './tries.js';

type Deps = Pick<IndexerDeps, 'collections' | 'logger'>;
type Build = (thread: ThreadRecord) => Promise<void>;

/** A thread could not be built, for a reason of its own. It is tried again a few times, then set aside. */
export class BuildFault extends Error {
  override readonly name = 'BuildFault';
}

/** Why a thread is set aside that never throws. Quotes nothing of it. */
export const ENDED = 'Its build ended the process';

/** Tries, later revisions among them, of what ends its process: a job that is cut off by it raises it again each time. */
const MOST_ENDS = MOST_TRIES + 2;

/** Of threads whose build may end the process one is built at a time, so that only the guilty one is counted. */
const takeTurn = createTurns();

/**
 * Builds a pending thread so that one that always fails, or ends the process, is set aside after MOST_TRIES: its mark
 * goes, its last views stay, and a later revision of it is tried once; of one that ends the process two are. A build is
 * counted before it begins when an earlier one did not end, or (`counted`) by the caller; the first costs nothing.
 * Resolves with false when the thread was set aside. Throws BuildFault while it may be tried again, and what a store
 * that is away throws.
 */
export async function guardBuild(
  deps: Deps,
  thread: ThreadRecord,
  build: Build,
  counted: boolean,
): Promise<boolean> {
  if (thread.tries === undefined || counted) {
    return attempt(deps, thread, build, counted ? (thread.tries ?? 1) : 0);
  }
  return takeTurn(() => tryAgain(deps, thread._id, build));
}

async function tryAgain(deps: Deps, threadId: string, build: Build): Promise<boolean> {
  const { threads } = deps.collections;
  const thread = await threads.findOne({ _id: threadId, pending: { $exists: true } });
  if (!thread) return true;
  const { tries = 0 } = thread;
  if (tries >= MOST_TRIES && !(await isNewer(deps, thread))) {
    return quarantineThread(deps, thread, tries, ENDED);
  }
  await countTries(threads, [threadId]);
  return attempt(deps, thread, build, tries + 1);
}

/** `tries` counts this one; 0 while none is counted. */
async function attempt(
  deps: Deps,
  thread: ThreadRecord,
  build: Build,
  tries: number,
): Promise<boolean> {
  const { threads } = deps.collections;
  try {
    await build(thread);
  } catch (error) {
    if (!isPassing(error)) return noteFault(deps, thread, error, tries);
    if (tries > 0) await takeBackTry(threads, thread._id);
    throw error;
  }
  if (tries > 0) await forgetTries(threads, thread._id);
  return true;
}

async function noteFault(
  deps: Deps,
  thread: ThreadRecord,
  error: unknown,
  tries: number,
): Promise<boolean> {
  const { threads } = deps.collections;
  if (tries === 0) await countTries(threads, [thread._id]);
  const failed = Math.max(tries, (thread.tries ?? 0) + 1);
  if (failed >= MOST_TRIES) return quarantineThread(deps, thread, failed, String(error));
  const { _id, revision } = thread;
  await threads.updateOne({ _id, pending: revision }, { $set: { pendingAt: new Date() } });
  throw new BuildFault(`Thread ${_id} could not be built`, { cause: error });
}

/** A revision that came after the thread had been set aside is tried once, unless too many ended the process. */
async function isNewer({ collections }: Deps, thread: ThreadRecord): Promise<boolean> {
  const { _id, revision, tries = 0 } = thread;
  const { modifiedCount } = await collections.quarantine.updateOne(
    {
      _id: quarantineId('thread', _id),
      revision: { $lt: revision },
      ...(tries >= MOST_ENDS && { reason: { $ne: ENDED } }),
    },
    { $set: { revision } },
  );
  return modifiedCount === 1;
}

async function quarantineThread(
  deps: Deps,
  { _id, revision }: ThreadRecord,
  count: number,
  reason: string,
): Promise<false> {
  await recordFailure(deps, {
    kind: 'thread',
    subject: _id,
    threadId: _id,
    revision,
    count,
    reason,
  });
  await deps.collections.threads.updateOne(
    { _id, pending: revision },
    { $unset: { pending: '', pendingAt: '' } },
  );
  return false;
}
