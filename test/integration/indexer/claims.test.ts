import { expect } from 'chai';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import {
  claimMarks,
  claimOwn,
  keepClaims,
  LEASE_MS,
  markThread,
  setMarks,
} from '../../../services/indexer/work/claims.js';
import { runClaimed, runDue } from '../../../services/indexer/work/runMarks.js';
import { markId, MOST_TRIES, type Mark } from '../../../shared/store/work.js';
import { until } from '../../support/apiServer.js';
import { aSourceMessage, aSourceThread } from '../../support/factories.js';
import { build, doAll, endLeases, record } from '../../support/indexerDeps.js';
import { poisoned } from '../../support/poison.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('claims of marks', () => {
  const { deps } = indexerSuite('emptied');

  async function recordThread(): Promise<string> {
    const source = aSourceThread();
    const threadId = source.thread._id;
    await record(deps, source, [aSourceMessage({ threadId })]);
    return threadId;
  }
  const markOf = (threadId: string) =>
    deps.collections.work.findOne({ _id: markId('thread', threadId) });
  const takenByAnother = (threadId: string, due: Date) =>
    deps.collections.work.updateOne(
      { _id: markId('thread', threadId) },
      { $set: { claim: 'another', due } },
    );
  /** A worker that loses its claim on a thread at the end of its build: another one has it before it can store. */
  const losingItsClaim = (threadId: string, due: Date): IndexerDeps => ({
    ...deps,
    commit: async (change) => {
      await takenByAnother(threadId, due);
      return deps.commit(change);
    },
  });
  const isListed = async (threadId: string) =>
    Boolean((await deps.collections.threadItems.findOne({ _id: threadId }))?.item);
  const inFuture = (ms: number) => new Date(Date.now() + ms);

  it('go to only one of several workers that ask at once', async () => {
    const threadId = await recordThread();
    const mark = (await markOf(threadId))!;
    const asked = Array.from({ length: 5 }, () => claimMarks(deps, [mark]));
    const taken = (await Promise.all(asked)).flat();
    expect(taken.map(({ subject, tries }) => [subject, tries])).to.deep.equal([[threadId, 1]]);
  });

  it('are not made with a change where another worker has the mark, or it failed before', async () => {
    const [free, held, failed] = [await recordThread(), await recordThread(), await recordThread()];
    await takenByAnother(held, inFuture(LEASE_MS));
    const tried = { _id: markId('thread', failed) };
    await deps.collections.work.updateOne(tried, { $set: { tries: 3 } });
    const all = [free, held, failed];
    await deps.commit({
      reads: { work: all.map((threadId) => markId('thread', threadId)) },
      decide: (documents) =>
        all.forEach((threadId) => claimOwn(documents, 'thread', threadId, 'own')),
    });
    const claims = await Promise.all(all.map(async (threadId) => (await markOf(threadId))?.claim));
    expect(claims).to.deep.equal([`own/${(await markOf(free))?.token}`, 'another', undefined]);
  });

  it('are not held by a build of before, once another worker has ended the mark and it is set again', async () => {
    const threadId = await recordThread();
    const _id = markId('thread', threadId);
    const setOwn = async (): Promise<Mark> => {
      await deps.commit({
        reads: { work: [_id] },
        decide: (documents) => markThread(documents, threadId, { owner: 'own' }),
      });
      return (await markOf(threadId))!;
    };
    const early = await setOwn();
    await endLeases(deps, threadId);
    await build(deps, threadId);
    expect(await markOf(threadId)).to.equal(null);
    const stored = () => deps.collections.bodies.findOne({ _id: `thread/${threadId}` });
    const { revision } = (await stored())!;
    const late = await setOwn();
    await runClaimed(deps, 'thread', [early]);
    expect(await stored()).to.include({ revision });
    expect(await markOf(threadId)).to.deep.equal(late);
    await runClaimed(deps, 'thread', [late]);
    expect(await markOf(threadId)).to.equal(null);
  });

  it('store nothing of a build whose claim another worker has taken over', async () => {
    const threadId = await recordThread();
    const claimed = await claimMarks(deps, [(await markOf(threadId))!]);
    const due = inFuture(LEASE_MS);
    await runClaimed(losingItsClaim(threadId, due), 'thread', claimed);
    expect(await isListed(threadId)).to.equal(false);
    expect(await markOf(threadId)).to.deep.include({ claim: 'another', due });
  });

  it('remove no views of a thread whose claim another worker has taken over', async () => {
    const threadId = await recordThread();
    await build(deps, threadId);
    await setMarks(deps, 'thread', [threadId]);
    const claimed = await claimMarks(deps, [(await markOf(threadId))!]);
    await deps.collections.threads.updateOne({ _id: threadId }, { $set: { deleted: true } });
    await runClaimed(losingItsClaim(threadId, inFuture(LEASE_MS)), 'thread', claimed);
    expect(await isListed(threadId)).to.equal(true);
  });

  it('store nothing of other work whose claim another worker has taken over', async () => {
    const threadId = await recordThread();
    await build(deps, threadId);
    await doAll(deps);
    const { threads, contributions, bodies, members, similar, work } = deps.collections;
    const { serverId } = (await threads.findOne({ _id: threadId }))!;
    const { userId } = (await contributions.findOne({ threadId }))!;
    await bodies.deleteMany({});
    await members.deleteMany({});
    await similar.deleteMany({});
    const marks = [
      ['person', userId],
      ['server', serverId],
      ['similar', threadId],
      ['shown', threadId],
    ] as const;
    for (const [kind, subject] of marks) {
      const isIt = { _id: markId(kind, subject) };
      await setMarks(deps, kind, [subject]);
      const claimed = await claimMarks(deps, [(await work.findOne(isIt))!]);
      const taken = { claim: 'another', due: inFuture(LEASE_MS) };
      await work.updateOne(isIt, { $set: taken });
      await runClaimed(deps, kind, claimed);
      expect(await work.findOne(isIt), kind).to.deep.include(taken);
    }
    expect(await bodies.distinct('_id')).to.deep.equal([]);
    expect(await members.countDocuments()).to.equal(0);
    expect(await similar.countDocuments()).to.equal(0);
  });

  it('quarantine nothing that another worker has taken over', async () => {
    const threadId = await recordThread();
    const isIt = { _id: markId('thread', threadId) };
    await deps.collections.work.updateOne(isIt, { $set: { tries: MOST_TRIES - 1 } });
    const claimed = await claimMarks(deps, [(await markOf(threadId))!]);
    const due = inFuture(LEASE_MS);
    const broken = poisoned(losingItsClaim(threadId, due), threadId, () => {
      throw new Error('It breaks');
    });
    await runClaimed(broken, 'thread', claimed);
    expect(await markOf(threadId)).to.deep.include({ claim: 'another', due });
  });

  it('belong to builds that take a version before they read anything of the thread', async () => {
    const threadId = await recordThread();
    const steps: string[] = [];
    const state = new Proxy(deps.collections.state, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name, target);
        if (name !== 'findOneAndUpdate') return found;
        return async (...args: unknown[]) => {
          const given: unknown = await Reflect.apply(
            found as (...all: unknown[]) => unknown,
            target,
            args,
          );
          steps.push('version');
          return given;
        };
      },
    });
    const noted = poisoned(deps, threadId, () => steps.push('read'));
    await build({ ...noted, collections: { ...noted.collections, state } }, threadId);
    expect(steps.slice(0, 2)).to.deep.equal(['version', 'read']);
  });

  it('are made once more for a thread that changed during its build', async () => {
    const threadId = await recordThread();
    let changing: Promise<void> | undefined;
    let builds = 0;
    const changed = poisoned(deps, threadId, () => {
      builds += 1;
      changing ??= setMarks(deps, 'thread', [threadId]);
    });
    const slow: IndexerDeps = {
      ...changed,
      commit: async (change) => {
        await changing;
        return deps.commit(change);
      },
    };
    expect(await build(slow, threadId)).to.equal(true);
    // Each build reads its messages a few times.
    const once = builds / 2;
    expect(once).to.equal(Math.floor(once));
    expect(await markOf(threadId)).to.equal(null);
    builds = 0;
    await setMarks(deps, 'thread', [threadId]);
    await build(slow, threadId);
    expect(builds).to.equal(once);
  });

  it('last while the work goes on, unless another worker has taken over', async () => {
    const [threadId, lost] = [await recordThread(), await recordThread()];
    const marks = [(await markOf(threadId))!, (await markOf(lost))!];
    const claimed = await claimMarks(deps, marks);
    const due = inFuture(LEASE_MS * 2);
    await takenByAnother(lost, due);
    const before = (await markOf(threadId))!.due.getTime();
    await keepClaims(deps, claimed, () =>
      until(async () => (await markOf(threadId))!.due.getTime() > before),
    );
    expect(await markOf(lost)).to.deep.include({ claim: 'another', due });
  });

  it('take over marks that were claimed by a clock that was ahead, and leave those that are being done', async () => {
    const [ahead, done] = [await recordThread(), await recordThread()];
    await takenByAnother(ahead, inFuture(3_600_000));
    await takenByAnother(done, inFuture(LEASE_MS + 30_000));
    await runDue(deps);
    expect(await isListed(ahead)).to.equal(true);
    expect(await isListed(done)).to.equal(false);
  });
});
