import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { deleteChannel } from '../../../services/indexer/jobs/deletePlaces.js';
import { endFile, importFile } from '../../../services/indexer/jobs/importFile.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { claimMarks, setMarks } from '../../../services/indexer/work/claims.js';
import { SearchUnavailable } from '../../../services/indexer/stores/sendBulk.js';
import { newUploadId, storeUpload } from '../../../shared/store/uploads.js';
import { markId } from '../../../shared/store/work.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { anExport, anExportMessage, bytesOf, type RawExport } from '../../support/exportFiles.js';
import { anId } from '../../support/factories.js';
import { doAll, endLeases } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('importFile', () => {
  const { deps } = indexerSuite();

  async function queue(root: RawExport | string) {
    const payload = { uploadId: newUploadId(), importId: 'import' };
    await storeUpload(deps.collections, payload.uploadId, bytesOf(root));
    await deps.collections.importFiles.insertOne({
      _id: payload.uploadId,
      importId: payload.importId,
      name: 'x.json',
      bytes: 1,
      state: 'queued',
      queuedAt: new Date(),
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
    const { importFiles } = deps.collections;
    const ends = await Promise.all([importFile(deps, payload), importFile(deps, payload)]);
    expect(ends.map((end) => end?.state))
      .to.include('imported')
      .and.not.include('rejected');
    const ended = await importFiles.findOne({ _id: payload.uploadId });
    // One that comes late, its claim lost, finds nothing left of the upload.
    const { uploadId: subject } = payload;
    const mark = { _id: markId('file', subject), kind: 'file' as const, subject, token: 'x' };
    const claimed = { ...mark, at: new Date(), due: new Date(), claim: 'x' };
    const late = { state: 'rejected', reason: 'It is not there' } as const;
    expect(await endFile(deps, claimed, late)).to.equal(null);
    expect(await importFiles.findOne({ _id: payload.uploadId })).to.deep.equal(ended);
  });

  it('ends only when its thread is built, though another made the change, and was cut off', async () => {
    const message = anExportMessage();
    const root = anExport({ messages: [message] });
    await importFile(deps, await queue(root));
    const { messages, work } = deps.collections;
    const content = 'written before the crash';
    await messages.updateOne({ _id: message.id }, { $set: { content } });
    await setMarks(deps, 'thread', [message.id]);
    await claimMarks(deps, await work.find({ subject: message.id }).toArray());
    const payload = await queue({ ...root, messages: [{ ...message, content }] });
    const importing = importFile(deps, payload);
    await pause(500);
    expect(await deps.collections.importFiles.findOne({ _id: payload.uploadId })).to.include({
      state: 'queued',
    });
    await endLeases(deps, message.id);
    await importing;
    const body = await readBody<ThreadDetail>(deps.collections, `thread/${message.id}`);
    expect(body?.messages[0]?.content).to.equal(content);
  });

  it('tells of a change that a job made which was cut off, and of none where it made none', async () => {
    const root = anExport();
    const payload = await queue(root);
    const error = new SearchUnavailable('away');
    const search = { ...deps.search, write: () => Promise.reject(error) };
    expect(await importFile({ ...deps, search }, payload).catch((e: unknown) => e)).to.equal(error);
    expect(await importFile(deps, payload)).to.include({ state: 'imported' });
    const again = await queue(root);
    expect(await importFile(deps, again)).to.include({ state: 'unchanged' });
  });

  it('is rejected when its channel is deleted while it is being read, and leaves none of its words', async () => {
    const messages = Array.from({ length: 3 }, () => anExportMessage());
    const channel = { categoryId: anId() };
    await importFile(deps, await queue(anExport({ channel })));
    const payload = await queue(anExport({ channel, messages }));
    const [end] = await Promise.all([
      importFile(deps, payload),
      deleteChannel(deps, { channelId: channel.categoryId }, REPORT_NOBODY),
    ]);
    const again = await importFile(deps, await queue(anExport({ channel, messages })));
    expect(again).to.include({ state: 'rejected' });
    expect(end?.state).to.be.oneOf(['rejected', 'imported']);
    await doAll(deps);
    const left = { _id: { $in: messages.map(({ id }) => id) }, deleted: { $ne: true } };
    expect(await deps.collections.messages.countDocuments(left)).to.equal(0);
  });
});
