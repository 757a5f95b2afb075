import { expect } from 'chai';
import { createThreadBuilds } from '../../../services/indexer/gateway/threadBuilds.js';
import { ingest } from '../../../services/indexer/ingest/ingest.js';
import { aSourceMessage, aSourceThread } from '../../support/factories.js';
import { inBatches } from '../../support/indexerDeps.js';
import { indexerSuite } from '../../support/suiteStores.js';

/** Threads built at once. */
const AT_ONCE = 16;
const CLAIM = 'of-this-process';

describe('builds of threads that events have changed', () => {
  const { deps } = indexerSuite();

  /** Records a thread, and claims its build. */
  async function claimed(): Promise<string> {
    const told = aSourceThread();
    const { _id: threadId } = told.thread;
    const messages = [aSourceMessage({ _id: threadId, threadId })];
    await ingest(deps, { told, claim: CLAIM }, inBatches(messages));
    return threadId;
  }
  const marks = () => deps.collections.work.find({ kind: 'thread' }).toArray();

  it('begin with the claims that the events have made, and give back those that were not begun', async () => {
    const ids = await Promise.all(Array.from({ length: AT_ONCE + 2 }, claimed));
    expect((await marks()).map(({ claim }) => claim)).to.deep.equal(ids.map(() => CLAIM));
    const { signal } = new AbortController();
    const builds = createThreadBuilds({ ...deps, signal }, CLAIM);
    for (const id of ids) builds.ask(id);
    await builds.end();
    const left = await marks();
    expect(left.map(({ subject }) => subject)).to.have.members(ids.slice(AT_ONCE));
    for (const { claim, tries, due } of left) {
      expect([claim, tries, due.getTime()]).to.deep.equal([undefined, undefined, 0]);
    }
    expect(await deps.collections.threadItems.countDocuments()).to.equal(AT_ONCE);
  });
});
