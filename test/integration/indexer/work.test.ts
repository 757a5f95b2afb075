import { once } from 'node:events';
import { mock } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Collection } from 'mongodb';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import {
  claimMarks,
  endMark,
  giveUpClaims,
  keepClaims,
  readsOf,
  setMarks,
  takeBackTries,
} from '../../../services/indexer/work/claims.js';
import { ProcessStops } from '../../../services/indexer/work/commit.js';
import { finish, finishAll, runDue, settled } from '../../../services/indexer/work/runMarks.js';
import {
  AT_ONCE,
  isQuarantined,
  LATE_KINDS,
  MOST_TRIES,
  NEVER,
  type Mark,
} from '../../../shared/store/work.js';
import { createStoreAccess } from '../../../services/indexer/stores/storeAccess.js';
import { FAILED } from '../../../shared/store/quarantine.js';
import { oldestPendingSeconds } from '../../../shared/store/oldestPending.js';
import { SearchUnavailable } from '../../../services/indexer/stores/sendBulk.js';
import { killableProcess } from '../../faults/sync/killable.js';
import { until, untilEqual } from '../../support/apiServer.js';
import { aSourceMessage, aSourceThread } from '../../support/factories.js';
import { build, doAll, endLeases, prolongLeases, record } from '../../support/indexerDeps.js';
import { readsOfEach } from '../../support/readsOfEach.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('the list of work', () => {
  const { stores, deps } = indexerSuite();
  let work: Collection<Mark>;
  before(() => {
    work = deps.collections.work;
  });
  beforeEach(() => work.deleteMany({}));

  const numbers = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);
  const mark = async (subject: string, causes: string[] = []): Promise<Mark> => {
    await setMarks(deps, 'thread', [subject], { causes });
    return (await markOf(subject))!;
  };
  const markOf = (subject: string) => work.findOne({ _id: `thread/${subject}` });
  const end = (marks: Mark[]) =>
    deps.commit({
      reads: readsOf(marks),
      decide: (documents) => marks.forEach((one) => endMark(documents, one)),
    });
  const failing = (error: Error): IndexerDeps => {
    const fail = () => Promise.reject(error);
    return { ...deps, search: { write: fail, remove: fail } };
  };
  const broken = () => failing(new Error('It breaks'));
  /** A thread that is recorded and marked. */
  const aThread = async (causes: string[] = []) => {
    const source = aSourceThread();
    const threadId = source.thread._id;
    await record(deps, source, [aSourceMessage({ _id: threadId, threadId })]);
    await work.deleteMany({ kind: { $ne: 'thread' } });
    await mark(threadId, causes);
    return threadId;
  };
  /** A thread that was built and has one try left, after which it is taken out of everything that is read. */
  const aFailingDeletion = async () => {
    const threadId = await aThread();
    await doAll(deps);
    await mark(threadId, ['delete-message/1']);
    await work.updateOne({ subject: threadId }, { $set: { tries: MOST_TRIES - 1 } });
    return threadId;
  };
  const quarantined = async (subject: string) => (await markOf(subject))?.failure;

  it('does the work that follows from a change in the same round, so it counts a server once', async () => {
    const source = aSourceThread();
    const threadId = source.thread._id;
    await record(deps, source, [aSourceMessage({ _id: threadId, threadId })]);
    const counted: string[] = [];
    const announcer: IndexerDeps['announcer'] = {
      ...deps.announcer,
      announce(change) {
        counted.push(...(change.servers ?? []));
        deps.announcer.announce(change);
      },
    };
    await runDue({ ...deps, announcer });
    // Similar threads are looked for in a loop of their own, and may be due by now.
    const due = { kind: { $nin: LATE_KINDS }, due: { $lte: new Date() } };
    expect(await work.distinct('kind', due)).to.deep.equal([]);
    expect(counted.filter((serverId) => serverId === source.server._id)).to.have.length(2);
  });

  it('leaves a mark to other workers where it keeps failing for a reason that is not its own', async () => {
    const threadId = await aThread();
    const process = killableProcess(deps);
    process.kill();
    let tried = 0;
    const counted: IndexerDeps = {
      ...process.deps,
      get collections() {
        tried += 1;
        return process.deps.collections;
      },
    };
    const error = await finish(counted, 'thread', threadId).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('message', 'The process was killed');
    expect(tried).to.equal(MOST_TRIES + 1);
    expect(await build(deps, threadId)).to.equal(true);
  });

  it('finishes many marks in batches, and the marks of a batch that fails one by one', async () => {
    const threadIds = await Promise.all(Array.from({ length: 5 }, () => aThread()));
    const bad = threadIds[2]!;
    const batches: number[] = [];
    const write: IndexerDeps['search']['write'] = async (documents, ...rest) => {
      if (documents.some(({ threadId }) => threadId === bad)) throw new Error('It is wrong');
      await deps.search.write(documents, ...rest);
    };
    const commit: IndexerDeps['commit'] = (change) => {
      const claimed = change.reads.work?.length ?? 0;
      if (claimed > 1) batches.push(claimed);
      return deps.commit(change);
    };
    const search = { ...deps.search, write };
    await finishAll({ ...deps, commit, search }, 'thread', threadIds);
    expect(batches).to.include(5);
    expect(isQuarantined((await markOf(bad))!)).to.equal(true);
    for (const threadId of threadIds.filter((id) => id !== bad))
      expect(await markOf(threadId)).to.equal(null);
  });

  it('leaves a mark to another worker when its own is told to end', async () => {
    const threadId = await aThread();
    await claimMarks(deps, [(await markOf(threadId))!]);
    const ended = new AbortController();
    const waiting = finish({ ...deps, signal: ended.signal }, 'thread', threadId);
    ended.abort(new ProcessStops());
    const error = await waiting.catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(ProcessStops);
    expect(await markOf(threadId)).to.have.property('claim');
  });

  describe('claims', () => {
    it('go to one of many workers that ask at once', async () => {
      const one = await mark('1');
      const asked = await Promise.all(Array.from({ length: 8 }, () => claimMarks(deps, [one])));
      expect(asked.flat()).to.have.length(1);
      expect(asked.flat()[0]).to.include({ tries: 1 });
    });

    it('end after their time, unless they are renewed', async () => {
      const one = await mark('1');
      const before = Date.now();
      const [first] = await claimMarks(deps, [one]);
      expect(first!.due.getTime()).to.be.above(before + 10_000);
      expect(await claimMarks(deps, [one])).to.deep.equal([]);
      await endLeases(deps, '1');
      const [second] = await claimMarks(deps, [one]);
      expect(second).to.include({ tries: 2 });
      expect(second!.claim).to.not.equal(first!.claim);
      await keepClaims(deps, [second!], async () => {
        await endLeases(deps, '1');
        while ((await markOf('1'))!.due <= new Date()) await pause(200);
      });
      expect(await claimMarks(deps, [one])).to.deep.equal([]);
    });

    it('keep a mark that was set again meanwhile, and remove one that was not', async () => {
      const marks = [await mark('1'), await mark('2')];
      await deps.collections.work.updateMany({}, { $set: { at: new Date(0) } });
      const claimed = await claimMarks(deps, marks);
      await mark('1', ['later']);
      await end(claimed);
      expect(await markOf('2')).to.equal(null);
      const left = await markOf('1');
      expect(left).to.deep.include({ causes: ['later'], due: AT_ONCE });
      expect(left).to.not.have.any.keys('claim', 'tries');
      // It waits since the second setting, not since the mark that is done was set.
      expect(left!.at.getTime()).to.be.above(0);
    });
  });

  describe('causes', () => {
    it('are done by the work that began with them, however often the mark is set again meanwhile', async () => {
      const [claimed] = await claimMarks(deps, [await mark('1', ['done', 'again'])]);
      await mark('1', ['again']);
      await mark('1', ['later']);
      await mark('1');
      await end([claimed!]);
      expect((await markOf('1'))?.causes).to.deep.equal(['again', 'later']);
      const [second] = await claimMarks(deps, [(await markOf('1'))!]);
      await mark('1');
      await end([second!]);
      const left = await markOf('1');
      expect(left).to.not.equal(null);
      expect(left).to.not.have.any.keys('causes', 'again', 'claim');
    });

    it('stay where the work did not end', async () => {
      const [claimed] = await claimMarks(deps, [await mark('1', ['early'])]);
      await mark('1', ['late']);
      await takeBackTries(deps, [claimed!]);
      const [second] = await claimMarks(deps, [(await markOf('1'))!]);
      expect(second!.causes).to.deep.equal(['early', 'late']);
      await endLeases(deps, '1');
      const [third] = await claimMarks(deps, [second!]);
      await mark('1', ['last']);
      await end([third!]);
      expect((await markOf('1'))?.causes).to.deep.equal(['last']);
    });
  });

  describe('what is due', () => {
    it('is done once, and then nothing is left', async () => {
      const threadId = await aThread();
      expect(await runDue(deps, { subject: threadId, kind: 'thread' })).to.equal(true);
      expect(await markOf(threadId)).to.equal(null);
      expect(await deps.collections.threadItems.findOne({ _id: threadId })).to.not.equal(null);
    });

    it('is found without reading all other marks that are due', async () => {
      await setMarks(deps, 'people', numbers(500));
      const read = await readsOfEach(stores.mongo, work, async () => {
        expect(await runDue(deps, {}, ['people'])).to.equal(true);
      });
      expect(Math.max(...read)).to.equal(20);
    });

    it('is found without reading the marks of other causes, or all marks of its own', async () => {
      await setMarks(deps, 'people', numbers(500), { causes: ['others/1'] });
      await setMarks(deps, 'people', numbers(1_000).slice(500), { causes: ['own/1'] });
      const of = (cause: string) => ({ causes: { $in: [cause] } });
      const read = await readsOfEach(stores.mongo, work, async () => {
        expect(await runDue(deps, of('own/1'), ['people'])).to.equal(true);
        expect(await runDue(deps, of('own/1'), ['channel'])).to.equal(false);
      });
      expect(Math.max(...read)).to.equal(20);
      expect(await work.countDocuments(of('own/1'))).to.equal(480);
    });

    it('is found without reading what is quarantined', async () => {
      await setMarks(deps, 'people', numbers(1_000));
      const quarantined = { subject: { $in: numbers(500) } };
      await work.updateMany(quarantined, { $set: { due: NEVER, tries: MOST_TRIES - 1 } });
      const read = await readsOfEach(stores.mongo, work, async () => {
        expect(await runDue(deps, {}, ['people'])).to.equal(true);
      });
      expect(Math.max(...read)).to.equal(20);
    });

    it('tells how long the oldest thread has waited without reading all that wait, or is quarantined', async () => {
      await setMarks(deps, 'thread', numbers(500));
      const at = new Date(Date.now() - 90_000);
      const older = { subject: { $in: numbers(500).filter((n) => n > '7') } };
      await work.updateMany(older, { $set: { at, due: NEVER, tries: MOST_TRIES } });
      await work.updateOne({ subject: '7' }, { $set: { at: new Date(Date.now() - 60_000) } });
      const read = await readsOfEach(stores.mongo, work, async () => {
        expect(await oldestPendingSeconds({ work })).to.be.within(60, 120);
      });
      expect(read).to.deep.equal([1]);
    });

    it('counts what is quarantined without reading it', async () => {
      await setMarks(deps, 'thread', numbers(500));
      const marks = await work.find({}).toArray();
      await Promise.all(
        marks.map(({ _id, subject }) => {
          const failure = { kind: 'work', id: subject, reason: '', count: 1 };
          return work.updateOne({ _id }, { $set: { due: NEVER, failure } as Partial<Mark> });
        }),
      );
      const read = await readsOfEach(stores.mongo, work, async () => {
        expect(await work.countDocuments(FAILED)).to.equal(500);
      });
      expect(Math.max(...read)).to.equal(0);
    });

    it("finds the threads that a member has started without reading all of the server's", async () => {
      const { threads } = deps.collections;
      const { _id: _, ...like } = aSourceThread().thread;
      const all = numbers(500).map((_id) => ({ ...like, _id, ownerId: `1${_id}`, stamps: {} }));
      await threads.insertMany(all.map((one) => ({ ...one, asOf: 1 })));
      await setMarks(deps, 'member', [`${like.serverId}/17`]);
      const read = await readsOfEach(stores.mongo, threads, async () => {
        expect(await runDue(deps, {}, ['member'])).to.equal(true);
      });
      expect(await markOf('7')).to.not.equal(null);
      expect(Math.max(...read)).to.equal(1);
    });

    it('is reported with the time until the next, and not before its time', async () => {
      await setMarks(deps, 'thread', ['1'], { due: new Date(Date.now() + 50_000) });
      const ms = await runDue(deps);
      expect(ms).to.be.a('number').and.within(1_000, 50_000);
      await work.updateOne({}, { $set: { due: NEVER } });
      expect(await runDue(deps)).to.equal(false);
    });

    it('is not counted as a failed try while a store is away', async () => {
      const threadId = await aThread();
      const away = failing(new SearchUnavailable('away'));
      for (let n = 0; n <= MOST_TRIES; n += 1)
        expect(await runDue(away).catch(String)).to.include('away');
      const left = await markOf(threadId);
      expect(left).to.deep.include({ due: AT_ONCE }).and.not.have.any.keys('claim', 'tries');
      expect(await build(deps, threadId)).to.equal(true);
    });

    it('is quarantined when it fails every time, and tried once more when it is set again', async () => {
      const threadId = await aThread();
      for (let n = 0; n < MOST_TRIES; n += 1) await runDue(broken()).catch(() => undefined);
      expect(isQuarantined((await markOf(threadId))!)).to.equal(true);
      expect(await quarantined(threadId)).to.include({
        reason: 'Error: It breaks',
        count: MOST_TRIES,
      });
      expect(await finish(deps, 'thread', threadId)).to.equal(false);
      await mark(threadId);
      await runDue(broken()).catch(() => undefined);
      expect(isQuarantined((await markOf(threadId))!)).to.equal(true);
      await mark(threadId);
      expect(await finish(deps, 'thread', threadId)).to.equal(true);
      expect(await markOf(threadId)).to.equal(null);
    });

    it('is quarantined when it was cut off every time, and then not tried again by itself', async () => {
      const threadId = await aThread();
      for (let n = 0; n < MOST_TRIES; n += 1) {
        await claimMarks(deps, [(await markOf(threadId))!]);
        await endLeases(deps, threadId);
      }
      for (let n = 0; n < 2; n += 1) {
        await runDue(deps);
        expect(isQuarantined((await markOf(threadId))!)).to.equal(true);
        await mark(threadId);
      }
      expect((await quarantined(threadId))?.reason).to.include('ended the process');
      expect(await deps.collections.threadItems.findOne({ _id: threadId })).to.equal(null);
    });

    it('stays claimed while it is prepared for its quarantine, however long that takes', async () => {
      const threadId = await aFailingDeletion();
      const slow: IndexerDeps = {
        ...deps,
        search: {
          write: () => Promise.reject(new Error('It breaks')),
          async remove(...args) {
            await endLeases(deps, threadId);
            await until(async () => (await markOf(threadId))!.due > new Date());
            await deps.search.remove(...args);
          },
        },
      };
      await runDue(slow, { kind: 'thread' });
      expect(isQuarantined((await markOf(threadId))!)).to.equal(true);
    });

    it('keeps its tries where a store is away just when it is to be quarantined', async () => {
      const threadId = await aFailingDeletion();
      const write = () => Promise.reject(new Error('It breaks'));
      const remove = () => Promise.reject(new SearchUnavailable('away'));
      const away = { ...deps, search: { write, remove } };
      expect(await runDue(away, { kind: 'thread' }).catch(String)).to.include('away');
      expect(await markOf(threadId)).to.include({ tries: MOST_TRIES - 1 });
      await runDue({ ...deps, search: { ...deps.search, write } }, { kind: 'thread' });
      expect(isQuarantined((await markOf(threadId))!)).to.equal(true);
      // It did not end the process, so it is tried when it is set again.
      await mark(threadId);
      expect(await finish(deps, 'thread', threadId)).to.equal(true);
    });

    it('is not affected by other work that was cut off beside it', async () => {
      const [guilty, innocent] = [await aThread(), await aThread()];
      await claimMarks(deps, await work.find({ kind: 'thread' }).toArray());
      await work.updateMany({}, { $set: { due: AT_ONCE } });
      await work.updateOne({ subject: guilty }, { $set: { tries: MOST_TRIES } });
      while ((await runDue(deps, { kind: 'thread' })) === true);
      expect(isQuarantined((await markOf(guilty))!)).to.equal(true);
      expect(await markOf(innocent)).to.equal(null);
    });
  });

  describe('a cause', () => {
    it('is settled when no mark names it, whoever does the marks and those that follow', async () => {
      const threadId = await aThread(['import/1']);
      const other = await aThread(['import/2']);
      const left: number[] = [];
      await settled(deps, 'import/1', (count) => left.push(count));
      expect(left.at(-1)).to.equal(0);
      expect(await markOf(threadId)).to.equal(null);
      expect(await markOf(other)).to.not.equal(null);
      expect(await deps.collections.members.countDocuments()).to.be.above(0);
    });

    it('is settled without a count of its marks where nobody is told of it', async () => {
      const threadId = await aThread(['import/1']);
      const count = mock.method(work, 'countDocuments');
      await settled(deps, 'import/1').finally(() => {
        count.mock.restore();
      });
      expect(await markOf(threadId)).to.equal(null);
      expect(count.mock.callCount()).to.equal(0);
    });

    it('is settled only when workers elsewhere have done its marks', async () => {
      const threadId = await aThread(['import/1']);
      const held = await claimMarks(deps, [(await markOf(threadId))!]);
      await prolongLeases(deps, threadId);
      let isSettled = false;
      const waiting = settled(deps, 'import/1').then(() => (isSettled = true));
      await pause(500);
      expect(isSettled).to.equal(false);
      await end(held);
      await waiting;
    });

    /** Whether the marks are given back while the work goes on, or after its changes were refused. */
    for (const when of ['before', 'after'] as const) {
      it(`is left to other processes by one that stops, together with all of its marks, ${when} it ends`, async () => {
        const subjects = await Promise.all([aThread(), aThread()]);
        await work.deleteMany({});
        for (const subject of subjects) await mark(subject, ['a']);
        const { stop, ...access } = createStoreAccess(stores.mongo, stores.elasticsearch, deps);
        const held = new AbortController();
        const write: IndexerDeps['search']['write'] = async (...args) => {
          if (!held.signal.aborted) await once(held.signal, 'abort');
          await access.search.write(...args);
        };
        const search = { ...access.search, write };
        const ended = settled({ ...deps, ...access, search }, 'a').catch(String);
        const claimed = { claim: { $exists: true } };
        await untilEqual(() => work.countDocuments(claimed), 2);
        const commit = await stop();
        if (when === 'before') await giveUpClaims({ commit });
        held.abort();
        expect(await ended).to.equal('ProcessStops: The process stops');
        if (when === 'after') await giveUpClaims({ commit });
        expect(await work.countDocuments({ due: AT_ONCE, tries: { $exists: false } })).to.equal(2);
        await settled(deps, 'a');
        expect(await work.countDocuments({ kind: 'thread' })).to.equal(0);
      });
    }

    it('is settled even if one of its marks is quarantined', async () => {
      const threadId = await aThread(['import/1']);
      await settled(broken(), 'import/1');
      expect(isQuarantined((await markOf(threadId))!)).to.equal(true);
    });

    it('is not settled, if it removes something, by a failure that began before it', async () => {
      const threadId = await aThread(['import/1']);
      await build(deps, threadId);
      await doAll(deps);
      await mark(threadId, ['import/1']);
      await work.updateOne({ subject: threadId }, { $set: { tries: MOST_TRIES - 1 } });
      let isAsked = false;
      const late: IndexerDeps = {
        ...deps,
        search: {
          ...deps.search,
          async write() {
            // It is asked for while the last try is under way, which then fails.
            if (!isAsked) await mark(threadId, ['delete-thread/x']);
            isAsked = true;
            throw new Error('It breaks');
          },
        },
      };
      await runDue(late, { kind: 'thread' }).catch(() => undefined);
      // Whoever waits for the mark does it at once, before the claim has ended.
      const left = await markOf(threadId);
      expect(left).to.deep.include({ due: AT_ONCE }).and.not.have.property('claim');
      await settled(late, 'delete-thread/x');
      expect(isAsked).to.equal(true);
      expect(await deps.collections.threadItems.findOne({ _id: threadId })).to.equal(null);
      expect((await quarantined(threadId))?.reason).to.include('is not shown any more');
    });
  });
});
