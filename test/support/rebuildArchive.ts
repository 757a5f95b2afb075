import { searchArchive } from './searchArchive.js';
import { Turns } from '../../services/api/turns.js';
import type { IndexerDeps } from '../../services/indexer/deps.js';
import { reindexSearch } from '../../services/indexer/search/reindexSearch.js';
import { enterRebuild } from '../../shared/store/searchGenerations.js';
import { stateOf } from '../../shared/store/state.js';
import { aSourceMessage, aSourceThread, anId } from './factories.js';
import { build, record } from './indexerDeps.js';
import { searchParams, UNLIMITED } from './searchDocuments.js';

export type RebuildArchive = ReturnType<typeof rebuildArchive>;

/** An archive with one channel, to be written, searched and rebuilt. */
export function rebuildArchive(deps: IndexerDeps) {
  const server = anId();
  const channel = anId();
  let asOf = 1_000;

  /** Records a thread, or a later version of it, with some contents, and builds it. */
  const write = async (threadId: string, messageIds: string[], word: string): Promise<void> => {
    asOf += 1;
    const source = aSourceThread({
      asOf,
      server: { _id: server },
      channel: { _id: channel },
      thread: { _id: threadId, title: `Anchor ${threadId}` },
    });
    const messages = messageIds.map((_id) =>
      aSourceMessage({ _id, threadId, content: `${word} of ${_id}`, asOf }),
    );
    await record(deps, source, messages);
    await build(deps, threadId);
  };
  const writeThreads = async (count: number, messages = 2) => {
    const threads = Array.from({ length: count }, () => ({
      threadId: anId(),
      messageIds: Array.from({ length: messages }, anId),
    }));
    for (let start = 0; start < count; start += 40) {
      const some = threads.slice(start, start + 40);
      await Promise.all(some.map((one) => write(one.threadId, one.messageIds, 'first')));
    }
    return threads;
  };
  const rebuild = async () =>
    reindexSearch(deps, { rebuildId: (await enterRebuild(deps.collections)).id });
  const turns = new Turns();
  const search = (q: string) => searchArchive({ ...deps, turns }, searchParams(q), UNLIMITED);
  return { write, writeThreads, rebuild, search };
}

/** Records a rebuild that has not shown for `ms` that it is alive. Returns its id. */
export async function enterLostRebuild(
  collections: IndexerDeps['collections'],
  ms: number,
): Promise<string> {
  const { id } = await enterRebuild(collections);
  await stateOf(collections.state, 'search').updateOne({ _id: 'search' }, [
    { $set: { 'rebuild.beatAt': { $subtract: ['$$NOW', ms] } } },
  ]);
  return id;
}
