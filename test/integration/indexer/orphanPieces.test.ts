import { expect } from 'chai';
import { Binary, ObjectId } from 'mongodb';
import { encodeBody } from '../../../services/indexer/stores/bodyWriter.js';
import {
  removeEndedUploads,
  removeOrphanPieces,
} from '../../../services/indexer/stores/orphanPieces.js';
import { bodyOwner, pieceId, uploadOf, uploadOwner } from '../../../shared/store/pieces.js';
import { newUploadId, storeUpload } from '../../../shared/store/uploads.js';
import { NEVER, newMark } from '../../../shared/store/work.js';
import { bytesOf } from '../../support/exportFiles.js';
import type { ImportFileRecord } from '../../../shared/store/views.js';
import { suiteStores } from '../../support/suiteStores.js';

const HOUR_MS = 3_600_000;

describe('removeOrphanPieces', () => {
  const stores = suiteStores();
  afterEach(async () => {
    const { pieces, bodies, importFiles, work } = stores.mongo.collections;
    await Promise.all([pieces, bodies, importFiles, work].map((kept) => kept.deleteMany({})));
  });

  const uploadOf = (hoursAgo: number) =>
    ObjectId.createFromTime(Math.floor((Date.now() - hoursAgo * HOUR_MS) / 1_000)).toHexString();
  const aFile = (_id: string): ImportFileRecord => ({
    _id,
    importId: 'i',
    name: 'a.json',
    bytes: 1,
    state: 'queued',
    queuedAt: new Date(),
  });
  const store = (owner: string, count = 1) =>
    stores.mongo.collections.pieces.insertMany(
      Array.from({ length: count }, (_, n) => {
        return { _id: pieceId(owner, n), data: new Binary(), last: false };
      }),
    );
  const left = async () =>
    (await stores.mongo.collections.pieces.find().toArray()).map(({ _id }) => _id);

  it('removes uploads older than a day whose file does not wait and is not being imported', async () => {
    const [orphan, done, waited, begun, fresh] = [25, 26, 27, 28, 1].map(uploadOf);
    const { importFiles, work } = stores.mongo.collections;
    await importFiles.insertMany([aFile(waited!), { ...aFile(done!), state: 'imported' }]);
    await work.insertOne(newMark('file', begun!));
    for (const id of [orphan, done, waited, begun, fresh]) await store(uploadOwner(id!));
    expect(await removeOrphanPieces(stores.mongo.collections)).to.equal(2);
    const kept = [waited, begun, fresh].map((id) => pieceId(uploadOwner(id!), 0));
    expect(await left()).to.have.members(kept);
  });

  it('removes pieces behind those of a needed upload with very many pieces', async () => {
    const [waited, orphan] = [uploadOf(50), uploadOf(40)];
    await stores.mongo.collections.importFiles.insertOne(aFile(waited));
    await store(uploadOwner(waited), 6_000);
    await store(uploadOwner(orphan), 3);
    expect(await removeOrphanPieces(stores.mongo.collections)).to.equal(1);
    expect(await left()).to.have.length(6_000);
  });

  it('removes revisions older than the stored body, whatever their number of digits', async () => {
    const { collections } = stores.mongo;
    await collections.bodies.insertOne(encodeBody('stats/1', 100, '{}'));
    const now = Date.now() * 1_000;
    // The body thread/1 is not stored, and an old revision of it was left behind. A new revision of tags/1 is on its way.
    const old = [bodyOwner('stats/1', 99), bodyOwner('thread/1', 1_600_000_000_000_000)];
    const kept = [bodyOwner('stats/1', 100), bodyOwner('stats/1', 1_000), bodyOwner('tags/1', now)];
    for (const owner of [...old, ...kept]) await store(owner, 2);
    expect(await removeOrphanPieces(collections)).to.equal(2);
    const ids = kept.flatMap((owner) => [pieceId(owner, 0), pieceId(owner, 1)]);
    expect(await left()).to.have.members(ids);
  });
});

describe('removeEndedUploads', () => {
  const stores = suiteStores();

  it('removes uploads of files that have ended, and leaves those that wait, are quarantined or are being stored', async () => {
    const [done, refused, waiting, quarantined, unfiled] = Array.from({ length: 5 }, newUploadId);
    const { importFiles, work, pieces } = stores.mongo.collections;
    const file = { importId: 'i', bytes: 1, queuedAt: new Date() };
    await importFiles.insertMany([
      { ...file, _id: done!, state: 'imported' },
      { ...file, _id: refused!, state: 'rejected' },
      { ...file, _id: waiting!, state: 'queued' },
      { ...file, _id: quarantined!, state: 'rejected' },
    ]);
    await work.insertOne({ ...newMark('file', quarantined!), due: NEVER });
    for (const id of [done, refused, waiting, quarantined, unfiled])
      await storeUpload(stores.mongo.collections, id!, bytesOf('{}'));
    await removeEndedUploads(stores.mongo.collections);
    const left = (await pieces.find().toArray()).map(({ _id }) => uploadOf(_id)?.split('/')[0]);
    expect(left).to.have.members([waiting, quarantined, unfiled]);
  });
});
