import { Readable } from 'node:stream';
import { expect } from 'chai';
import { openAvatar } from '../../../services/api/files/openPicture.js';
import { WHOLE } from '../../../services/api/http/askedPart.js';
import { setMarks } from '../../../services/indexer/work/claims.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { fileRecordId, type SyncFile } from '../../../shared/store/syncRecords.js';
import { aSourceMessage, aSourceThread, anAuthor, anId } from '../../support/factories.js';
import { doAll, record } from '../../support/indexerDeps.js';
import { leaveOut } from '../../support/leaveOut.js';
import { indexerSuite } from '../../support/suiteStores.js';

const CDN = 'https://cdn.discordapp.com';

describe('openAvatar', () => {
  const { stores, deps } = indexerSuite();

  it('leads to the picture of the last message that may be read', async () => {
    const author = anAuthor('rosalind');
    const say = async (picture: string) => {
      const source = aSourceThread();
      const threadId = source.thread._id;
      const avatar = `${CDN}/avatars/${author.id}/${picture}.png`;
      const said = { _id: threadId, threadId, author: { ...author, avatar } };
      await record(deps, source, [aSourceMessage(said)]);
      await doAll(deps);
      return { avatar, serverId: source.server._id };
    };
    const open = openAvatar({ store: deps.collections, links: null, mirror: null, cdnUrl: CDN });
    const place = async () => {
      const answer = await open({ params: { userId: author.id } } as Parameters<typeof open>[0]);
      return (answer as { headers: Record<string, string> }).headers.Location;
    };
    const first = await say('a1');
    const second = await say('b2');
    expect(await place()).to.equal(second.avatar);
    await leaveOut(stores.mongo, second.serverId, author.id);
    await setMarks(deps, 'member', [`${second.serverId}/${author.id}`]);
    await doAll(deps);
    expect(await place()).to.equal(first.avatar);
    // The erasure has not been carried out yet.
    await requestErasure(deps.collections, author.id);
    const refused = await place().catch((error: unknown) => error);
    expect(refused).to.include({ code: 'NOT_FOUND' });
  });

  it('leads to the platform alone, whatever address an export tells', async () => {
    const author = anAuthor('hedy');
    const source = aSourceThread();
    const threadId = source.thread._id;
    const avatar = 'https://elsewhere.example/avatars/1/a1.png';
    const said = { _id: threadId, threadId, author: { ...author, avatar } };
    await record(deps, source, [aSourceMessage(said)]);
    await doAll(deps);
    const open = openAvatar({ store: deps.collections, links: null, mirror: null, cdnUrl: CDN });
    const asked = open({ params: { userId: author.id } } as Parameters<typeof open>[0]);
    expect(await asked.catch((error: unknown) => error)).to.include({ code: 'NOT_FOUND' });
  });

  it('gives no copy of a picture from a server that the person is left out of', async () => {
    const author = anAuthor('emmy');
    const source = aSourceThread();
    const threadId = source.thread._id;
    const avatar = `${CDN}/avatars/${author.id}/a1.png`;
    const said = { _id: threadId, threadId, author: { ...author, avatar } };
    await record(deps, source, [aSourceMessage(said)]);
    await doAll(deps);
    const copied = async (picture: string, problem?: string) => {
      const file: SyncFile = {
        _id: fileRecordId(`avatars/${author.id}`),
        kind: 'file',
        of: `user/${author.id}`,
        source: `${CDN}/avatars/${author.id}/${picture}.png`,
        copy: { key: picture, bytes: 1, type: 'image/png', sha256: 'f0' },
        ...(problem && { problem }),
      };
      await deps.collections.sync.replaceOne({ _id: file._id }, file, { upsert: true });
    };
    const opened: string[] = [];
    const mirror = (key: string) => {
      opened.push(key);
      return Promise.resolve(Readable.from(['x']));
    };
    const open = openAvatar({ store: deps.collections, links: null, mirror, cdnUrl: CDN });
    const ask = async () => {
      opened.length = 0;
      const asked = { params: { userId: author.id }, part: WHOLE };
      await open(asked as Parameters<typeof open>[0]);
      return opened.join();
    };
    await copied('b2');
    expect(await ask()).to.equal('b2');
    await leaveOut(stores.mongo, anId(), author.id);
    expect(await ask()).to.equal('');
    await copied('a1');
    expect(await ask()).to.equal('a1');
    await copied('a1', 'The platform does not have it any more');
    expect(await ask()).to.equal('');
  });
});
