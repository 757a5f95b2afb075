import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createThreadBuilds } from '../../../services/indexer/gateway/threadBuilds.js';
import { ingest } from '../../../services/indexer/ingest/ingest.js';
import { isOwn, setMarks } from '../../../services/indexer/work/claims.js';
import type { Commit } from '../../../services/indexer/work/commit.js';
import { until } from '../../support/apiServer.js';
import { aSourceMessage, aSourceThread, anId } from '../../support/factories.js';
import { inBatches } from '../../support/indexerDeps.js';
import { indexerSuite } from '../../support/suiteStores.js';

/** How many threads are built at once. */
const AT_ONCE = 50;
const OWNER = 'of-this-process';
const fail = (error: unknown): never => {
  throw error;
};

describe('builds of threads that events have changed', () => {
  const { deps } = indexerSuite();

  /** Records a thread, and claims its build. */
  async function claimed(): Promise<string> {
    const told = aSourceThread();
    const { _id: threadId } = told.thread;
    const messages = [aSourceMessage({ _id: threadId, threadId })];
    await ingest(deps, { told, owner: OWNER }, inBatches(messages));
    return threadId;
  }
  const marks = () => deps.collections.work.find({ kind: 'thread' }).toArray();

  it('begin with the claims that the events have made, and free those that are not begun', async () => {
    const ids = await Promise.all(Array.from({ length: AT_ONCE + 2 }, claimed));
    expect((await marks()).every((mark) => isOwn(mark, OWNER))).to.equal(true);
    const { signal } = new AbortController();
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    // A build that takes long renews its claim, too.
    const waiting = new Set<string>();
    const commit: Commit = async (change) => {
      for (const id of change.reads.work ?? []) waiting.add(id);
      await opened;
      return deps.commit(change);
    };
    const builds = createThreadBuilds({ ...deps, commit, signal, fail }, OWNER);
    for (const id of ids) builds.ask(id);
    await until(() => waiting.size === AT_ONCE);
    const ended = builds.end();
    open();
    await ended;
    const left = await marks();
    expect(left.map(({ subject }) => subject)).to.have.members(ids.slice(AT_ONCE));
    for (const { claim, tries, due } of left) {
      expect([claim, tries, due.getTime()]).to.deep.equal([undefined, undefined, 0]);
    }
    expect(await deps.collections.threadItems.countDocuments()).to.equal(AT_ONCE);
  });

  it('of the same thread follow each other', async () => {
    const threadId = await claimed();
    let now = 0;
    let most = 0;
    let written = 0;
    const write: typeof deps.search.write = async (...documents) => {
      now += 1;
      most = Math.max(most, now);
      written += 1;
      if (written === 1) builds.ask(threadId);
      await deps.search.write(...documents);
      // This is enough time for a round to begin.
      await pause(200);
      now -= 1;
    };
    const { signal } = new AbortController();
    const search = { ...deps.search, write };
    const builds = createThreadBuilds({ ...deps, search, signal, fail }, OWNER);
    builds.ask(threadId);
    await until(
      async () =>
        written > 0 && now === 0 && (await marks()).every(({ subject }) => subject !== threadId),
    );
    await builds.end();
    expect(most).to.equal(1);
  });

  it('leave threads that rest to the background loop, so that they hold up no others', async () => {
    const resting = Array.from({ length: AT_ONCE }, () => anId());
    await setMarks(deps, 'thread', resting, { due: new Date(Date.now() + 50_000) });
    const stopped = new AbortController();
    const builds = createThreadBuilds({ ...deps, signal: stopped.signal, fail }, OWNER);
    for (const id of resting) builds.ask(id);
    const threadId = await claimed();
    builds.ask(threadId);
    try {
      await until(async () => !(await marks()).some(({ subject }) => subject === threadId));
    } finally {
      stopped.abort();
      await builds.end();
    }
    expect((await marks()).map(({ subject }) => subject)).to.include.members(resting);
  });
});
