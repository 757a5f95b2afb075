import type { IndexerDeps } from '../../services/indexer/deps.js';
import type { VerifyOptions } from '../../services/indexer/verify/verifyArchive.js';
import { verifyArchive } from '../../services/indexer/verify/verifyArchive.js';
import { runDue } from '../../services/indexer/work/runMarks.js';
import type { VerifyReport } from '../../shared/contract/verify.js';
import type { AuthorSnapshot } from '../../shared/store/records.js';
import { aSourceMessage, aSourceThread, anAuthor, anId } from './factories.js';
import { doAll, record } from './indexerDeps.js';
import type { TestStores } from './stores.js';

/** A small archive of one server, whose views are all as they must be. */
export interface RestingArchive {
  serverId: string;
  channelId: string;
  /**
   * The threads, in the order of their ids. Each is started by a person who writes nowhere else. Bob answers, and the
   * person thanks.
   */
  threads: { threadId: string; messageIds: string[]; starter: AuthorSnapshot }[];
}

/** Records some threads, builds and counts them, and looks for similar ones. */
export async function restingArchive(
  deps: IndexerDeps,
  stores: Pick<TestStores, 'refreshSearch'>,
  size: number,
): Promise<RestingArchive> {
  const [serverId, channelId] = [anId(), anId()];
  const threads = Array.from({ length: size }, (_, n) => {
    const threadId = anId();
    return { threadId, messageIds: [threadId, anId(), anId()], starter: anAuthor(`ada${n}`) };
  });
  const recordThread = async (
    { threadId, messageIds, starter }: RestingArchive['threads'][number],
    number: number,
  ): Promise<void> => {
    const source = aSourceThread({
      server: { _id: serverId },
      channel: { _id: channelId },
      // The threads are similar in pairs. A word that all of them have would tell nothing.
      thread: { _id: threadId, title: `The sextant of harbour${number >> 1}` },
    });
    const words = messageIds.map((_id, n) => ({
      ...aWord(threadId, _id, n),
      author: n === 1 ? anAuthor('bob') : starter,
    }));
    await record(deps, source, words);
  };
  await Promise.all(threads.map(recordThread));
  // All threads are in the search index before one of them is compared with the others.
  while ((await runDue(deps, {}, ['thread'])) === true);
  await bringToRest(deps, stores);
  return { serverId, channelId, threads };
}

function aWord(threadId: string, _id: string, n: number) {
  const attachment = {
    id: anId(),
    filename: 'mirror.png',
    url: 'https://example.org/mirror.png',
    contentType: 'image/png',
    size: 1,
    width: 1,
    height: 1,
  };
  return aSourceMessage({
    _id,
    threadId,
    content: `The mirror of my sextant moves, part ${n}`,
    reactions:
      n === 0 ? [{ emoji: { id: null, name: '👍', animated: false }, count: 2, userIds: [] }] : [],
    attachments: n === 2 ? [attachment] : [],
  });
}

/** Counts everything that is marked, and looks for similar threads. */
export async function bringToRest(
  deps: IndexerDeps,
  stores: Pick<TestStores, 'refreshSearch'>,
): Promise<void> {
  await stores.refreshSearch();
  await doAll(deps);
}

/** Verifies, and waits only briefly, because nothing works in the background. */
export function verifyNow(
  deps: IndexerDeps,
  options: Partial<VerifyOptions> = {},
): Promise<VerifyReport> {
  return verifyArchive(deps, { patienceMs: 200, ...options });
}
