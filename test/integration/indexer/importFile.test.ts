import { expect } from 'chai';
import type { Collection, Filter } from 'mongodb';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { deleteChannel } from '../../../services/indexer/jobs/deletePlaces.js';
import { importFile } from '../../../services/indexer/jobs/importFile.js';
import { clearPending } from '../../../services/indexer/records/threadRevision.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { SearchUnavailable } from '../../../services/indexer/stores/sendBulk.js';
import { newUploadId, storeUpload } from '../../../shared/store/uploads.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { anExport, anExportMessage, bytesOf, type RawExport } from '../../support/exportFiles.js';
import { anId } from '../../support/factories.js';
import { indexerDeps } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { openStores, type TestStores } from '../../support/stores.js';

describe('importFile', () => {
  let stores: TestStores;
  let deps: IndexerDeps;

  before(async () => {
    stores = await openStores();
    deps = indexerDeps(stores);
  });
  after(() => stores.close());

  async function queue(root: RawExport | string, more: { startedAt?: Date } = {}) {
    const payload = { uploadId: newUploadId(), importId: 'import' };
    await storeUpload(deps.collections, payload.uploadId, bytesOf(root));
    await deps.collections.importFiles.insertOne({
      _id: payload.uploadId,
      importId: payload.importId,
      name: 'x.json',
      bytes: 1,
      state: 'queued',
      queuedAt: new Date(),
      ...more,
    });
    return payload;
  }

  it('records what became of the file, and deletes the upload', async () => {
    const payload = await queue(anExport());
    expect(await importFile(deps, payload)).to.include({ state: 'imported', messages: 1 });
    expect(await deps.collections.importFiles.findOne({ _id: payload.uploadId })).to.include({
      state: 'imported',
    });
    expect(
      await deps.collections.pieces.countDocuments({
        _id: { $regex: `^upload/${payload.uploadId}/` },
      }),
    ).to.equal(0);
  });

  it('does nothing the second time', async () => {
    const payload = await queue(anExport());
    await importFile(deps, payload);
    expect(await importFile(deps, payload)).to.equal(null);
  });

  it('records a damaged file and a missing upload as rejected, for no try can mend them', async () => {
    const damaged = await queue(JSON.stringify(anExport()).slice(0, -9));
    expect(await importFile(deps, damaged)).to.include({ state: 'rejected' });
    const missing = await queue(anExport());
    await deps.collections.pieces.deleteMany({});
    expect(await importFile(deps, missing)).to.include({ state: 'rejected' });
  });

  it('leaves what became of a file that was imported twice at once, and ended first elsewhere', async () => {
    const payload = await queue(anExport());
    const { importFiles, pieces } = deps.collections;
    const paused = heldUp(pieces);
    const late = importFile(
      { ...deps, collections: { ...deps.collections, pieces: paused.collection } },
      payload,
    );
    await paused.reached;
    await importFile(deps, payload);
    const ended = await importFiles.findOne({ _id: payload.uploadId });
    expect(ended?.state).to.equal('imported');
    paused.goOn();
    expect(await late).to.equal(null);
    expect(await importFiles.findOne({ _id: payload.uploadId })).to.deep.equal(ended);
  });

  it('builds the thread of a job that was cut off after its messages, whoever took its mark', async () => {
    const message = anExportMessage();
    const root = anExport({ messages: [message] });
    await importFile(deps, await queue(root));
    const { threads, messages } = deps.collections;
    // As if the job had been cut off: its message is stored, and another build of the thread has taken the mark.
    await messages.updateOne(
      { _id: message.id },
      { $set: { content: 'written before the crash' } },
    );
    await clearPending(threads, (await threads.findOne({ _id: message.id }))!, '');
    const again = { ...root, messages: [{ ...message, content: 'written before the crash' }] };
    await importFile(deps, await queue(again, { startedAt: new Date() }));
    const body = await readBody<ThreadDetail>(deps.collections, `thread/${message.id}`);
    expect(body?.messages[0]?.content).to.equal('written before the crash');
  });

  it('tells of a change that a job made which was cut off, and of none where it made none', async () => {
    const root = anExport();
    const payload = await queue(root);
    const error = new SearchUnavailable('away');
    const search = { ...deps.search, write: () => Promise.reject(error) };
    expect(await importFile({ ...deps, search }, payload).catch((e: unknown) => e)).to.equal(error);
    expect(await importFile(deps, payload)).to.include({ state: 'imported' });
    const again = await queue(root, { startedAt: new Date(Date.now() + 1_000) });
    expect(await importFile(deps, again)).to.include({ state: 'unchanged' });
  });

  it('leaves no words of a job that was cut off while its channel was deleted', async () => {
    const message = anExportMessage();
    const channel = { categoryId: anId() };
    const root = anExport({ channel, messages: [message] });
    await importFile(deps, await queue(root));
    const { messages } = deps.collections;
    const written = (await messages.findOne({ _id: message.id }))!;
    await deleteChannel(deps, { channelId: channel.categoryId }, REPORT_NOBODY);
    // As if the job had written after the deletion had passed the thread, and been cut off before it looked.
    await messages.replaceOne({ _id: message.id }, written);
    const again = await queue(root, { startedAt: new Date() });
    expect(await importFile(deps, again)).to.include({ state: 'rejected' });
    expect(await messages.findOne({ _id: message.id })).to.include({ content: '', deleted: true });
  });
});

/** The same collection, in which a search waits until it is let go on. */
function heldUp<T extends object>(collection: Collection<T>) {
  let goOn: () => void;
  const free = new Promise<void>((resolve) => (goOn = resolve));
  let reach: () => void;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const find = (filter: Filter<T>) => ({
    async toArray() {
      reach();
      await free;
      return collection.find(filter).toArray();
    },
  });
  return {
    collection: Object.create(collection, { find: { value: find } }) as Collection<T>,
    reached,
    goOn: () => goOn(),
  };
}
