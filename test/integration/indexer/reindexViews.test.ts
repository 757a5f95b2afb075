import { expect } from 'chai';
import { MongoNetworkError, type Collection, type FindCursor } from 'mongodb';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { reindexViews } from '../../../services/indexer/jobs/reindexViews.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { createAnnouncer, type Announcer } from '../../../services/indexer/stores/announcer.js';
import { SearchUnavailable } from '../../../services/indexer/stores/sendBulk.js';
import { ProcessStops } from '../../../services/indexer/work/commit.js';
import { createRedis } from '../../../shared/platform/clients.js';
import { aSourceMessage, aSourceThread, anId } from '../../support/factories.js';
import { doAll, record } from '../../support/indexerDeps.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('reindexViews', () => {
  const { deps } = indexerSuite('emptied');

  it('builds every thread, and leaves no cursor open while it does', async () => {
    const ids = await threeThreads(deps);
    const { bodies } = deps.collections;
    await bodies.deleteMany({});

    const { threads, cursors } = watched(deps.collections.threads);
    const reported: [number, number, boolean][] = [];
    const found = await reindexViews(
      { ...deps, collections: { ...deps.collections, threads } },
      (done, total) => reported.push([done, total, cursors.every(({ closed }) => closed)]),
      { atOnce: 2 },
    );
    expect(found).to.deep.equal({ threads: 3 });
    expect(cursors).not.to.have.length(0);
    expect(reported).to.deep.equal([
      [2, 3, true],
      [3, 3, true],
    ]);
    const built = await bodies
      .find({ _id: /^thread\// })
      .sort({ _id: 1 })
      .toArray();
    expect(built.map(({ _id }) => _id)).to.deep.equal(ids.map((id) => `thread/${id}`));
  });

  it('goes on with the same thread after a store was away', async () => {
    const ids = await threeThreads(deps);
    const { failing, sent } = failingOnce(deps, ids[1]!);
    await reindexViews(failing, REPORT_NOBODY, { atOnce: 1 });
    expect(sent).to.deep.equal([ids[0], ids[1], ids[1], ids[2]]);
    expect(await deps.collections.work.countDocuments({ causes: 'reindex-views/all' })).to.equal(0);
  });

  it('goes on although MongoDB is still away when it tries again', async () => {
    const ids = await threeThreads(deps);
    const { failing, sent } = failingOnce(deps, ids[1]!);
    const { collections } = deps;
    let refused = 0;
    const find = (...asked: Parameters<typeof collections.threads.find>) => {
      if (sent.length !== 2 || refused === 2) return collections.threads.find(...asked);
      refused += 1;
      throw new MongoNetworkError('MongoDB is away');
    };
    const threads = Object.create(collections.threads, { find: { value: find } }) as never;
    const own = { ...failing, collections: { ...collections, threads } };
    await reindexViews(own, REPORT_NOBODY, { atOnce: 1 });
    expect([refused, sent]).to.deep.equal([2, [ids[0], ids[1], ids[1], ids[2]]]);
  });

  it('builds no thread once more where Redis is away when the end is to be announced', async () => {
    const ids = await threeThreads(deps);
    const { failing, sent } = failingOnce(deps, '');
    const away = createRedis('redis://127.0.0.1:1', { timeoutMs: 1_000 });
    away.on('error', () => undefined);
    const announcers = [createAnnouncer(away, deps.namespace, deps.logger), deps.announcer];
    const announcer: Announcer = {
      ...deps.announcer,
      announceNow: (change) => announcers.shift()!.announceNow(change),
    };
    await reindexViews({ ...failing, announcer }, REPORT_NOBODY, { atOnce: 1 });
    expect(sent).to.deep.equal(ids);
    expect(announcers).to.deep.equal([]);
    away.disconnect();
  });

  for (const when of ['before', 'while'] as const)
    it(`does not go on where the process stops ${when} it waits for a store`, async () => {
      const ids = await threeThreads(deps);
      const stopped = new AbortController();
      const stop = (): void => stopped.abort(new ProcessStops());
      const { failing, sent } = failingOnce(deps, ids[1]!, when === 'before' ? stop : undefined);
      // The job logs that it waits.
      const logger = { ...deps.logger, warn: stop } as typeof deps.logger;
      const stopping = { ...failing, logger, signal: stopped.signal };
      const ended = await reindexViews(stopping, REPORT_NOBODY, { atOnce: 1 }).catch(
        (error: unknown) => error,
      );
      expect(ended).to.be.an.instanceOf(ProcessStops);
      expect(sent).to.deep.equal([ids[0], ids[1]]);
    });
});

/** Records three threads, and builds them. Resolves with their ids, in order. */
async function threeThreads(deps: IndexerDeps): Promise<string[]> {
  const ids = [anId(), anId(), anId()].sort();
  for (const threadId of ids) {
    await record(deps, aSourceThread({ thread: { _id: threadId } }), [
      aSourceMessage({ _id: threadId, threadId }),
    ]);
  }
  await doAll(deps);
  return ids;
}

/**
 * The write side of a process for which the search index is away when it sends the document of a thread for the first
 * time. `meanwhile` happens just before that. `sent` are the threads whose documents were to be sent.
 */
function failingOnce(
  deps: IndexerDeps,
  threadId: string,
  meanwhile: () => void = () => undefined,
): { failing: IndexerDeps; sent: string[] } {
  const sent: string[] = [];
  const write: IndexerDeps['search']['write'] = async (documents, ...rest) => {
    const id = documents.find(({ kind }) => kind === 'thread')?.threadId;
    const isFirst = id !== undefined && !sent.includes(id);
    if (id !== undefined) sent.push(id);
    if (isFirst && id === threadId) {
      meanwhile();
      throw new SearchUnavailable('The search index is away');
    }
    await deps.search.write(documents, ...rest);
  };
  return { failing: { ...deps, search: { ...deps.search, write } }, sent };
}

/** A collection that records the cursors which it returns from now on. */
function watched<T extends object>(
  collection: Collection<T>,
): { threads: Collection<T>; cursors: FindCursor[] } {
  const cursors: FindCursor[] = [];
  const threads = new Proxy(collection, {
    get(target, key) {
      const member = Reflect.get(target, key) as unknown;
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        const given: unknown = Reflect.apply(member, target, args);
        if (key === 'find') cursors.push(given as FindCursor);
        return given;
      };
    },
  });
  return { threads, cursors };
}
