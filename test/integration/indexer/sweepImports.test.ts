import { expect } from 'chai';
import { Binary, ObjectId } from 'mongodb';
import { refileWhenIdle, removeOrphans } from '../../../services/indexer/project/sweepImports.js';
import { refileLost } from '../../../shared/jobs/refileLost.js';
import { enterRebuild } from '../../../shared/store/searchGenerations.js';
import { openStores, type TestStores } from '../../support/stores.js';

const HOUR_MS = 3_600_000;

describe('the sweep of imports', () => {
  let stores: TestStores;
  before(async () => {
    stores = await openStores();
  });
  after(() => stores.close());

  const idAt = (ms: number) => ObjectId.createFromTime(Math.floor(ms / 1_000)).toHexString();
  const aFile = (_id: string, queuedAt: Date) => ({
    ...{ _id, importId: 'i', name: 'a.json', bytes: 1, state: 'queued' as const, queuedAt },
  });

  it('files again what has waited long, and nothing else', async () => {
    const { importFiles, deletions, erasures } = stores.mongo.collections;
    const old = new Date(Date.now() - HOUR_MS);
    await importFiles.insertMany([
      aFile('old', old),
      aFile('new', new Date()),
      { ...aFile('done', old), state: 'imported' },
    ]);
    await erasures.insertMany([
      { _id: 'waiting', requestedAt: old, userId: '1' },
      { _id: 'finished', requestedAt: old },
    ]);
    const aDeletion = (subject: string, requestedAt: Date) => ({
      ...{ _id: `thread-${subject}`, kind: 'thread' as const, subject, requestedAt },
    });
    await deletions.insertMany([aDeletion('7', old), aDeletion('8', new Date())]);
    const filed: unknown[] = [];
    const producer = {
      add: (name: string, payload: unknown) => {
        filed.push([name, payload]);
        return Promise.resolve('');
      },
    };
    expect(await refileLost(stores.mongo.collections, producer, HOUR_MS / 2)).to.equal(3);
    expect(filed).to.deep.equal([
      ['import-file', { uploadId: 'old', importId: 'i' }],
      ['delete-thread', { threadId: '7' }],
      ['erase-user', { erasureId: 'waiting' }],
    ]);
  });

  it('files again at once what waits, a rebuild too, when the queue holds no job at all', async () => {
    const { collections } = stores.mongo;
    await collections.importFiles.deleteMany({});
    await collections.erasures.deleteMany({});
    await collections.deletions.deleteMany({});
    await collections.importFiles.insertOne(aFile('lost', new Date(Date.now() - 30_000)));
    const rebuildId = await enterRebuild(collections, new Date(Date.now() - 30_000));
    const filed: unknown[] = [];
    const producer = (waiting: number) => ({
      add: (name: string) => Promise.resolve(String(filed.push(name))),
      counts: () => Promise.resolve({ waiting, active: 0, delayed: 0, failed: 9 }),
    });
    expect(await refileWhenIdle(collections, producer(1), 10_000)).to.equal(0);
    expect(await refileWhenIdle(collections, producer(0), 10_000)).to.equal(2);
    expect(filed).to.deep.equal(['import-file', 'reindex-search']);
    expect((await collections.searchGenerations.findOne({}))?.rebuild?.id).to.equal(rebuildId);
  });

  it('removes pieces of a day ago that no waiting file names', async () => {
    const { importFiles, uploadChunks } = stores.mongo.collections;
    const [orphan, wanted, fresh] = [
      idAt(Date.now() - 25 * HOUR_MS),
      idAt(Date.now() - 26 * HOUR_MS),
      idAt(Date.now() - HOUR_MS),
    ];
    await importFiles.insertOne(aFile(wanted, new Date()));
    for (const id of [orphan, wanted, fresh]) {
      await uploadChunks.insertOne({ _id: `${id}/0`, data: new Binary(), last: true });
    }
    expect(await removeOrphans(stores.mongo.collections)).to.equal(1);
    const left = await uploadChunks.find().toArray();
    expect(left.map(({ _id }) => _id).sort()).to.deep.equal([`${wanted}/0`, `${fresh}/0`].sort());
  });

  it('removes what comes after an upload of very many pieces that is wanted', async () => {
    const { importFiles, uploadChunks } = stores.mongo.collections;
    const [wanted, orphan] = [50, 40].map((hours) => idAt(Date.now() - hours * HOUR_MS)) as [
      string,
      string,
    ];
    await importFiles.insertOne(aFile(wanted, new Date()));
    const pieces = [...Array.from({ length: 250 }, (_, n) => `${wanted}/${n}`), `${orphan}/0`];
    const data = new Binary();
    await uploadChunks.insertMany(pieces.map((_id) => ({ _id, data, last: false })));
    expect(await removeOrphans(stores.mongo.collections)).to.equal(1);
    expect(await uploadChunks.countDocuments({ _id: { $regex: `^${wanted}/` } })).to.equal(250);
    expect(await uploadChunks.findOne({ _id: `${orphan}/0` })).to.equal(null);
  });
});
