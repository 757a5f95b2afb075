import { expect } from 'chai';
import type { Collection, FindCursor } from 'mongodb';
import { reindexViews } from '../../../services/indexer/jobs/reindexViews.js';
import { aSourceMessage, aSourceThread, anId } from '../../support/factories.js';
import { doAll, record } from '../../support/indexerDeps.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('reindexViews', () => {
  const { deps } = indexerSuite();

  it('builds every thread, and leaves no cursor open while it does', async () => {
    const ids = [anId(), anId(), anId()].sort();
    for (const threadId of ids) {
      await record(deps, aSourceThread({ thread: { _id: threadId } }), [
        aSourceMessage({ _id: threadId, threadId }),
      ]);
    }
    await doAll(deps);
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
});

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
