import { Readable } from 'node:stream';
import { expect } from 'chai';
import { mirroredFile } from '../../../services/api/files/mirroredFile.js';
import { WHOLE } from '../../../services/api/http/askedPart.js';
import { attachmentName } from '../../../shared/mirror/fileNames.js';
import { fileRecordId, syncOf, type SyncFile } from '../../../shared/store/syncRecords.js';
import { anId } from '../../support/factories.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('mirroredFile', () => {
  const stores = suiteStores();
  const mirror = () => Promise.resolve(Readable.from(['x']));

  /** Records a copy, and gives the answer with it. */
  async function answerOf(record: Partial<SyncFile>, filename: string | null = null) {
    const { collections } = stores.mongo;
    const name = attachmentName({ messageId: anId(), attachmentId: anId() });
    await syncOf(collections.sync, 'file').insertOne({
      _id: fileRecordId(name),
      kind: 'file',
      of: 'thread/1',
      source: 'https://cdn.example/a',
      ...record,
    });
    return mirroredFile(collections, mirror, name, WHOLE, { filename });
  }
  const copyOf = (type: string) => ({ copy: { key: 'a', bytes: 1, type, sha256: 'f0' } });

  it('lets browsers show only pictures, sound, films and plain text', async () => {
    for (const [type, shownType, kind] of [
      ['image/png', 'image/png', 'inline'],
      ['image/svg+xml', 'image/svg+xml', 'attachment'],
      ['video/mp4', 'video/mp4', 'inline'],
      ['audio/ogg', 'audio/ogg', 'inline'],
      ['application/pdf', 'application/pdf', 'attachment'],
      ['text/plain', 'text/plain; charset=utf-8', 'inline'],
      ['text/html', 'text/plain; charset=utf-8', 'inline'],
      ['text/javascript', 'text/plain; charset=utf-8', 'inline'],
    ] as const) {
      const answer = await answerOf(copyOf(type));
      expect(answer?.file?.type, type).to.equal(shownType);
      expect(answer?.headers?.['Content-Disposition'], type).to.equal(kind);
      expect(answer?.headers?.['Content-Security-Policy']).to.match(/default-src 'none'.*sandbox/);
      expect(answer?.headers?.['Cross-Origin-Resource-Policy']).to.equal('cross-origin');
    }
  });

  it('names a file in ASCII, and also as it is called', async () => {
    const answer = await answerOf(copyOf('image/png'), 'it’s “a" (1*)\r\n\ud800.png');
    expect(answer?.headers?.['Content-Disposition']).to.equal(
      `inline; filename="it_s _a_ (1_)___.png"; filename*=UTF-8''` +
        'it%E2%80%99s%20%E2%80%9Ca%22%20%281%2A%29%0D%0A_.png',
    );
  });

  it('gives no copy that is being removed, and none that was never made', async () => {
    expect(await answerOf({ ...copyOf('image/png'), gone: true })).to.equal(null);
    expect(await answerOf({ problem: 'It is too large' })).to.equal(null);
  });
});
