import { expect } from 'chai';
import type { Archive } from '../../../services/cli/openArchive.js';
import { reindexSearch } from '../../../services/cli/reindex/reindexSearch.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { createHandlers } from '../../../services/indexer/handlers.js';
import { liveIndex } from '../../../services/indexer/search/generations.js';
import type { JobName, JobPayloads } from '../../../shared/jobs/jobs.js';
import { indexerDeps } from '../../support/indexerDeps.js';
import { openStores, type TestStores } from '../../support/stores.js';

describe('reindex --search', () => {
  let stores: TestStores;
  let deps: IndexerDeps;
  const running: Promise<unknown>[] = [];

  before(async () => {
    stores = await openStores();
    deps = indexerDeps(stores);
  });
  after(async () => {
    await Promise.all(running);
    await stores.close();
  });

  /** An archive whose queue runs jobs at once, or never. */
  const archive = (works: boolean) => {
    const producer = {
      queue: { isPaused: () => Promise.resolve(false) },
      add<Name extends JobName>(name: Name, payload: JobPayloads[Name]) {
        if (works) running.push(createHandlers(deps)[name](payload));
        return Promise.resolve('job-1');
      },
      refile: () => Promise.reject(new Error('Nothing is lost here')),
      counts: () => Promise.resolve({ waiting: 0, active: 0, delayed: 0, failed: 0 }),
      workers: () => Promise.resolve(1),
      tryStoring: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
    return { ...stores, producer: producer as unknown as Archive['producer'] };
  };

  it('waits for the end and tells what was built', async () => {
    const { json, lines, ok } = await reindexSearch(archive(true), { wait: true });
    expect(ok).to.equal(true);
    expect(json).to.include({ jobId: 'job-1', state: 'done', threads: 0, documents: 0 });
    expect(lines[0]).to.match(/^Rebuilt as .*-000002: 0 threads, 0 documents$/);
    expect((await liveIndex(deps))!.slice(-6)).to.equal('000002');
  });

  it('returns at once without --wait, and refuses another rebuild until that one ended', async () => {
    const queued = await reindexSearch(archive(false), { wait: false });
    expect(queued).to.deep.include({ json: { jobId: 'job-1', state: 'queued' }, ok: true });
    const problem = await reindexSearch(archive(true), { wait: true }).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(problem).to.match(/^CliError: A rebuild of the search index is queued since /);
  });

  it('says that the queue is away, and does not block the next rebuild', async () => {
    await deps.collections.state.deleteMany({ _id: 'search' });
    const broken = archive(true);
    broken.producer.add = () => Promise.reject(new Error('Connection is closed'));
    const problem = await reindexSearch(broken, { wait: false }).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(problem).to.equal('Error: Connection is closed');
    expect((await reindexSearch(archive(true), { wait: true })).ok).to.equal(true);
  });
});
