import { mock } from 'node:test';
import type { Job } from 'bullmq';
import { expect } from 'chai';
import { watchJob } from '../../../services/cli/watchJob.js';
import type { Archive } from '../../../services/cli/openArchive.js';
import { EMPTY } from '../../../services/indexer/mirror/fileRecords.js';
import { LaunchError } from '../../../services/local/launchError.js';
import { beginRestore, endRestore } from '../../../shared/store/restore.js';
import { stateOf } from '../../../shared/store/state.js';
import { AT_ONCE } from '../../../shared/store/work.js';
import { suiteStores } from '../../support/suiteStores.js';
import { rejectionOf } from '../../support/temporaryFolder.js';

describe('watchJob', () => {
  const stores = suiteStores('emptied');
  afterEach(() => mock.reset());

  /** What is reported about a job that does not move for three looks, and then ends. */
  async function saidOf(
    job: Pick<Partial<Job>, 'name' | 'data'> & {
      state: 'waiting' | 'active' | 'delayed';
      failedReason?: string;
    },
    { workers = [1], paused = false, isAway = false, lookMs = 20_000 } = {},
  ): Promise<string[]> {
    const said: string[] = [];
    mock.method(process.stderr, 'write', (line: string) => said.push(line.trim()) > 0);
    const before = performance.now();
    let looks = 0;
    let passedMs = 0;
    mock.method(performance, 'now', () => before + passedMs);
    const found = (): Partial<Job> => ({
      name: job.name ?? 'verify',
      data: (job.data as unknown) ?? { repair: false },
      progress: 0,
      returnvalue: 'removed',
      attemptsMade: job.failedReason ? 1 : 0,
      failedReason: job.failedReason ?? '',
      ...(looks > 3 && { finishedOn: 1 }),
      getState: () => Promise.resolve(job.state),
      isFailed: () => Promise.resolve(false),
    });
    const queue = {
      isPaused: () => Promise.resolve(paused),
      getJob() {
        looks += 1;
        // The look itself takes no time.
        setImmediate(() => (passedMs += lookMs));
        return isAway && looks < 4 ? Promise.reject(new Error('Not writeable')) : found();
      },
    };
    // The port of a connection is another each time.
    const refused = () => Promise.reject(new Error(`ECONNREFUSED from port ${looks}`));
    const isReached = () => !isAway || looks > 3;
    const counts = [...workers];
    const count = () => Promise.resolve(counts.length > 1 ? counts.shift()! : counts[0]!);
    const producer = { workers: () => (isReached() ? count() : refused()) };
    const archive = { ...stores, producer: { ...producer, queue } } as unknown as Archive;
    expect(await watchJob(archive, 'job-1', 'remove')).to.include({ result: 'removed' });
    mock.reset();
    return said.filter((line) => !line.startsWith('remove ['));
  }

  it('tells once what a job waits for', async () => {
    expect(await saidOf({ state: 'waiting' }, { workers: [0] })).to.deep.equal([
      'No indexer is connected to the queue: the work waits until one is',
    ]);
    expect(await saidOf({ state: 'waiting' }, { paused: true })).to.deep.equal([
      'The queue is paused: resume it at /admin/queues',
    ]);
    expect(await saidOf({ state: 'waiting' })).to.deep.equal([
      'The job waits for its turn: those that were filed before come first, such as files to import',
    ]);
    expect(
      await saidOf({ state: 'delayed', failedReason: 'No space is left\u001b' }),
    ).to.deep.equal(['The job failed, and is tried again: No space is left\\u{001b}']);
    for (const state of ['active', 'delayed'] as const)
      expect(await saidOf({ state })).to.deep.equal([]);
  });

  it('tells that a restore goes on, for which all jobs wait', async () => {
    const restore = await beginRestore(stores.mongo.collections);
    const [said, ...more] = await saidOf({ state: 'delayed' });
    expect(said).to.match(
      /^A restore goes on\. It began at .*: other work waits\. Where no restore/,
    );
    expect(more).to.deep.equal([]);
    await endRestore(stores.mongo.collections, restore!);
  });

  it('says nothing of an indexer that has just lost its connection, and connects again', async () => {
    expect(await saidOf({ state: 'active' }, { workers: [0, 0, 0, 1] })).to.deep.equal([]);
  });

  it('tells at once what keeps the indexer from a job, but no reason of the job’s own', async () => {
    const soon = { lookMs: 100 };
    expect(await saidOf({ state: 'waiting' }, { ...soon, paused: true })).to.have.length(1);
    expect(await saidOf({ state: 'waiting' }, soon)).to.deep.equal([]);
  });

  it('goes on waiting while Redis is away, and says so', async () => {
    expect(await saidOf({ state: 'active' }, { isAway: true })).to.deep.equal([
      'Redis cannot be reached: ECONNREFUSED from port 1. The work waits until it can',
    ]);
  });

  it('ends where a server has crashed that this command started', async () => {
    const queue = { getJob: () => Promise.reject(new Error('It is away')) };
    const crashed = Promise.reject(new LaunchError('MongoDB stopped (exit code 1)'));
    const archive = { ...stores, producer: { queue }, crashed } as unknown as Archive;
    const watched = watchJob(archive, 'verify-1', 'verify');
    expect(await rejectionOf(watched)).to.equal('MongoDB stopped (exit code 1)');
  });

  it('says what to do about a job that is lost', async () => {
    const queue = { getJob: () => Promise.resolve(undefined) };
    const archive = { ...stores, producer: { queue } } as unknown as Archive;
    expect(await rejectionOf(watchJob(archive, 'verify-1', 'verify'))).to.match(
      /^The job verify-1 is not in the queue any more, .*: ask for it again$/,
    );
  });

  it('says that what was changed is to be built first', async () => {
    const mark = {
      kind: 'thread',
      subject: '1',
      token: 'a',
      at: new Date(),
      due: AT_ONCE,
    } as const;
    await stores.mongo.collections.work.insertOne({ ...mark, _id: 'thread/1' });
    expect(await saidOf({ state: 'active' })).to.deep.equal([
      'The job waits until what was changed is built and counted, such as by an import',
    ]);
  });

  it('tells an erasure that copies cannot be removed from the mirror, and why', async () => {
    const mark = {
      kind: 'mirror',
      subject: 'thread/1',
      token: 'a',
      at: new Date(),
      due: AT_ONCE,
      causes: ['erase-user/e1'],
    } as const;
    const { work, state } = stores.mongo.collections;
    await work.insertOne({ ...mark, causes: [...mark.causes], _id: 'mirror/thread/1' });
    const erasure = { state: 'active', name: 'erase-user', data: { erasureId: 'e1' } } as const;
    expect(await saidOf(erasure)).to.deep.equal([
      'The job waits until copies of files are removed from the mirror. That may take five minutes while another file is downloaded slowly',
    ]);
    await stateOf(state, 'mirror').insertOne({ ...EMPTY, problem: 'It does not answer' });
    expect(await saidOf(erasure)).to.deep.equal([
      'The job waits until copies of files are removed from the mirror. It does not answer',
    ]);
    expect(await saidOf({ ...erasure, data: { erasureId: 'e2' } })).to.deep.equal([]);
  });
});
