import { expect } from 'chai';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { recordThreadDeletion } from '../../../services/indexer/jobs/deleteThread.js';
import type { Announcer } from '../../../services/indexer/stores/announcer.js';
import { createRemovals } from '../../../services/indexer/sync/removals.js';
import { aSourceMessage, aSourceThread } from '../../support/factories.js';
import { doAll, record } from '../../support/indexerDeps.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('removals', () => {
  const { deps } = indexerSuite('emptied');

  const removalsOf = (own: IndexerDeps) => createRemovals(own);

  /** Listed threads, whose deletions are recorded and marked. */
  async function deletions(count: number) {
    const sources = Array.from({ length: count }, () => aSourceThread());
    for (const source of sources) {
      const threadId = source.thread._id;
      await record(deps, source, [aSourceMessage({ _id: threadId, threadId })]);
    }
    await doAll(deps);
    const marked = [];
    for (const { thread, server } of sources) {
      const { cause } = (await recordThreadDeletion(deps, thread._id))!;
      marked.push({ serverId: server._id, cause });
    }
    return marked;
  }
  const listed = () => deps.collections.threadItems.countDocuments();

  it('take what was deleted out of the lists, also when they have rested before', async () => {
    const removals = removalsOf(deps);
    const left = [];
    for (const deletion of await deletions(2)) {
      removals.add(deletion);
      await removals.end();
      left.push(await listed());
    }
    expect(left).to.deep.equal([1, 0]);
  });

  it('do all kinds of marks where one caller asks for all and another for one', async () => {
    const [first, second, third] = await deletions(3);
    const removals = removalsOf(deps);
    // While these are carried out, the others wait.
    removals.add(first!);
    for (const kind of [undefined, 'thread'] as const) removals.add(second!, kind);
    for (const kind of ['thread', undefined] as const) removals.add(third!, kind);
    await removals.end();
    const causes = [first, second, third].map((one) => one!.cause);
    expect(await deps.collections.work.countDocuments({ causes: { $in: causes } })).to.equal(0);
  });

  it('go on after one that could not be completed', async () => {
    let isAway = true;
    const announceNow: Announcer['announceNow'] = (change) =>
      isAway ? Promise.reject(new Error('It is away')) : deps.announcer.announceNow(change);
    const removals = removalsOf({ ...deps, announcer: { ...deps.announcer, announceNow } });
    const [first, second] = await deletions(2);
    removals.add(first!);
    await removals.end();
    isAway = false;
    removals.add(second!);
    await removals.end();
    expect(await listed()).to.equal(0);
  });
});
