import { createHash } from 'node:crypto';
import { forEachAtOnce } from '../../../../shared/platform/forEachAtOnce.js';
import type { Collections } from '../../../../shared/store/collections.js';
import { documentIdOf, type SearchDocument } from '../../../../shared/store/searchIndex.js';
import { isQuarantined } from '../../../../shared/store/work.js';
import type { IndexerDeps } from '../../deps.js';
import { isTransient } from '../../permanentErrors.js';
import { countedMessages } from '../../build/threadMessages.js';
import { readThread } from '../../build/readThread.js';
import { unshownPeople } from '../../../../shared/store/unshownPeople.js';
import { tagOf } from '../../stores/entityTag.js';
import type { ThreadViews } from '../../views/foldThread.js';
import type { ErasedTraces } from '../erasedTraces.js';
import { documentDigest } from '../indexedDocuments.js';
import type { VerifiedThread } from './verifiedThread.js';

/**
 * What readers must get of a thread. A `shown` thread has all its views, and a `hidden` one has none. The views of the
 * other four are not compared. A `waiting` thread is still to be built. A `quarantined` one could not be built. A
 * `broken` one cannot be built now. Of an `orphan` the channel or server is missing.
 */
export type ThreadState = 'shown' | 'hidden' | 'waiting' | 'quarantined' | 'broken' | 'orphan';

/** A thread as readers must get it according to its records. */
export interface ExpectedThread {
  thread: VerifiedThread;
  state: ThreadState;
  /** The views that a shown thread must have; null for others. Its body is not kept, only the body's entity tag. */
  views: ThreadViews | null;
  bodyTag: string;
  /** The search documents that a shown thread must have: id -> digest. */
  documents: Map<string, string>;
  /** Erased people who are still in a message -> that message. */
  traces: Map<string, string>;
}

/** How many threads of a window are read at once. They share calls of MongoDB. */
const MOST_AT_ONCE = 20;

/** Folds the records of threads. Resolves with what readers must get of each, by its id. */
export async function expectThreads(
  deps: IndexerDeps,
  threads: readonly VerifiedThread[],
  traces: ErasedTraces,
): Promise<Map<string, ExpectedThread>> {
  const expected = new Map<string, ExpectedThread>();
  await forEachAtOnce(threads, MOST_AT_ONCE, async (thread) => {
    const state = await stateOf(deps.collections, thread);
    expected.set(thread._id, await expectThread(deps, { thread, state }, traces));
  });
  return expected;
}

async function stateOf(collections: Collections, thread: VerifiedThread): Promise<ThreadState> {
  if (!thread.isPlaced && !thread.deleted) {
    const said = await countedMessages(collections, thread._id).limit(1).next();
    if (said) return 'orphan';
  }
  if (!thread.mark) return 'shown';
  return isQuarantined(thread.mark) ? 'quarantined' : 'waiting';
}

async function expectThread(
  deps: IndexerDeps,
  { thread, state }: Pick<ExpectedThread, 'thread' | 'state'>,
  { inMessage }: ErasedTraces,
): Promise<ExpectedThread> {
  const documents = new Map<string, string>();
  const expect = (one: SearchDocument): void => {
    documents.set(documentIdOf(one), documentDigest(one));
  };
  const traces = new Map<string, string>();
  const none = { thread, state, views: null, bodyTag: '', documents, traces };
  if (state !== 'shown') return none;
  const hash = createHash('sha256');
  try {
    const unshown = await unshownPeople(deps.collections);
    const views = await readThread(
      deps,
      thread,
      { version: thread.revision, unshown },
      {
        begin: (opening) => Promise.resolve(void hash.update(opening)),
        clean(unclean) {
          for (const message of unclean) {
            for (const userId of inMessage(message)) traces.set(userId, message._id);
          }
          return Promise.resolve();
        },
        add(folded) {
          hash.update(folded.bodyText());
          folded.documents.forEach(expect);
          return Promise.resolve();
        },
      },
    );
    if (!views) return { ...none, state: 'hidden' };
    expect(views.document);
    return { ...none, views, bodyTag: tagOf(hash.update(views.closing)) };
  } catch (error) {
    if (isTransient(error)) throw error;
    return { ...none, state: 'broken' };
  }
}
