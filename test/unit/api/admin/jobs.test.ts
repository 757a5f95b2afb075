import { expect } from 'chai';
import { MongoNetworkError } from 'mongodb';
import { getJob, listJobs, retryJob } from '../../../../services/api/admin/jobs.js';
import type { AppError } from '../../../../shared/contract/errors.js';
import type { Answer } from '../../../../services/api/answer.js';

type Deps = Parameters<typeof getJob>[0];

/** A job as the queue gives it, in a state. */
const aJob = (id: string, state: string) => ({
  id,
  name: 'import-file',
  progress: 0,
  timestamp: 0,
  attemptsMade: 0,
  getState: () => Promise.resolve(state),
});

/** A queue that holds these jobs, and an archive in which nothing was imported. */
const depsOf = (...jobs: object[]): Deps =>
  ({
    callMs: 1_000,
    producer: {
      queue: { getJob: () => Promise.resolve(jobs[0]), getJobs: () => Promise.resolve(jobs) },
    },
    collections: { imports: { findOne: () => Promise.resolve(null) } },
  }) as unknown as Deps;

const call = (handler: unknown, input: object): Promise<Answer> =>
  (handler as (input: object) => Promise<Answer>)(input);

const errorOf = (answering: Promise<Answer>): Promise<AppError> =>
  answering.then(
    () => expect.fail('It did not reject'),
    (error: unknown) => error as AppError,
  );

describe('jobs of the queue', () => {
  it('are not found when they were removed while they were read', async () => {
    const params = { jobId: 'import-1' };
    const error = await errorOf(call(getJob(depsOf(aJob('import-1', 'unknown'))), { params }));
    expect(error).to.include({ code: 'NOT_FOUND' });
  });

  it('are left out of the list when they were removed while they were read', async () => {
    const deps = depsOf(aJob('import-1', 'unknown'), aJob('import-2', 'waiting'));
    const { identity } = await call(listJobs(deps), { query: { limit: 20 } });
    const { jobs } = JSON.parse(String(identity)) as { jobs: { jobId: string; state: string }[] };
    expect(jobs.map(({ jobId, state }) => [jobId, state])).to.deep.equal([['import-2', 'queued']]);
  });

  it('are still active when they ended after they were read, as their result is missing', async () => {
    const job = { ...aJob('verify-1', 'completed'), name: 'verify' };
    const params = { jobId: 'verify-1' };
    const { identity } = await call(getJob(depsOf(job)), { params });
    const shown = JSON.parse(String(identity)) as object;
    expect(shown).to.include({ state: 'active' }).and.not.have.property('report');
  });

  it('are not found when they were removed before they are tried again', async () => {
    const gone = Object.assign(new Error('Missing key'), { code: -1 });
    const job = { ...aJob('verify-1', 'unknown'), retry: () => Promise.reject(gone) };
    const error = await errorOf(call(retryJob(depsOf(job)), { params: { jobId: 'verify-1' } }));
    expect(error).to.include({ code: 'NOT_FOUND' });
  });

  it('are not said to be unavailable where MongoDB fails, and not the queue', async () => {
    const failure = new MongoNetworkError('connect ECONNREFUSED');
    const files = { limit: () => ({ toArray: () => Promise.reject(failure) }) };
    const collections = {
      imports: { findOne: () => Promise.resolve({ _id: '1' }) },
      importFiles: { find: () => files },
    };
    const deps = { ...depsOf(), collections } as unknown as Deps;
    const error = await errorOf(call(retryJob(deps), { params: { jobId: 'imports-1' } }));
    expect(error).to.equal(failure);
  });
});
