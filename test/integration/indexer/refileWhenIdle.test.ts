import { expect } from 'chai';
import { refileWhenIdle } from '../../../services/indexer/jobs/refileWhenIdle.js';
import { refileLost } from '../../../shared/jobs/refileLost.js';
import { stateOf } from '../../../shared/store/state.js';
import { enterLostRebuild } from '../../support/rebuildArchive.js';
import { readsOfEach } from '../../support/readsOfEach.js';
import { suiteStores } from '../../support/suiteStores.js';

const HOUR_MS = 3_600_000;

describe('refileWhenIdle', () => {
  const stores = suiteStores();

  const aFile = (_id: string, queuedAt: Date) => ({
    _id,
    importId: 'i',
    name: 'a.json',
    bytes: 1,
    state: 'queued' as const,
    queuedAt,
  });

  it('files again only what has waited long, or was asked for by a clock that was ahead', async () => {
    const { importFiles, deletions, erasures } = stores.mongo.collections;
    const old = new Date(Date.now() - HOUR_MS);
    const ahead = new Date(Date.now() + 9_000 * HOUR_MS);
    await importFiles.insertMany([
      aFile('old', old),
      aFile('new', new Date()),
      aFile('ahead', ahead),
      { ...aFile('done', old), state: 'imported' },
    ]);
    await erasures.insertMany([
      { _id: 'waiting', requestedAt: old, userId: '1' },
      { _id: 'finished', requestedAt: old },
      { _id: 'ahead', requestedAt: ahead, userId: '2' },
    ]);
    const aDeletion = (subject: string, requestedAt: Date) => ({
      _id: `thread-${subject}`,
      kind: 'thread' as const,
      subject,
      requestedAt,
    });
    await deletions.insertMany([
      aDeletion('7', old),
      aDeletion('8', new Date()),
      aDeletion('9', ahead),
    ]);
    const filed: unknown[] = [];
    const producer = {
      refile: (name: string, payload: unknown) => {
        filed.push([name, payload]);
        return Promise.resolve('');
      },
    };
    await erasures.insertMany(
      Array.from({ length: 300 }, (_, n) => ({ _id: `done${n}`, requestedAt: old })),
    );
    const read = await readsOfEach(stores.mongo, erasures, async () => {
      expect(await refileLost(stores.mongo.collections, producer, HOUR_MS / 2)).to.equal(6);
    });
    expect(read).to.deep.equal([2]);
    expect(filed).to.deep.equal([
      ['import-file', { uploadId: 'old', importId: 'i' }],
      ['import-file', { uploadId: 'ahead', importId: 'i' }],
      ['delete-thread', { threadId: '7' }],
      ['delete-thread', { threadId: '9' }],
      ['erase-user', { erasureId: 'waiting' }],
      ['erase-user', { erasureId: 'ahead' }],
    ]);
  });

  it('files everything again at once, a rebuild too, when the queue holds no job at all', async () => {
    const { collections } = stores.mongo;
    await collections.importFiles.deleteMany({});
    await collections.erasures.deleteMany({});
    await collections.deletions.deleteMany({});
    await collections.importFiles.insertOne(aFile('lost', new Date(Date.now() - 30_000)));
    const rebuildId = await enterLostRebuild(collections, 30_000);
    const filed: unknown[] = [];
    const producer = (waiting: number) => ({
      refile: (name: string) => Promise.resolve(String(filed.push(name))),
      counts: () => Promise.resolve({ waiting, active: 0, delayed: 0, failed: 9 }),
    });
    expect(await refileWhenIdle(collections, producer(1), 10_000)).to.equal(0);
    expect(await refileWhenIdle(collections, producer(0), 10_000)).to.equal(2);
    expect(filed).to.deep.equal(['import-file', 'reindex-search']);
    expect(
      (await stateOf(collections.state, 'search').findOne({ _id: 'search' }))?.rebuild?.id,
    ).to.equal(rebuildId);
  });
});
