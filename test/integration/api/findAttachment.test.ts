import { expect } from 'chai';
import type { Collection } from 'mongodb';
import { findAttachment } from '../../../services/api/files/findAttachment.js';
import { openAttachment } from '../../../services/api/files/openAttachment.js';
import type { AppError } from '../../../shared/contract/errors.js';
import { PlatformAway, PlatformForbidden } from '../../../shared/discordApi/platformErrors.js';
import { leaveOut } from '../../support/leaveOut.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { liveTime } from '../../../shared/store/sourceTime.js';
import {
  aForward,
  aSourceMessage,
  aSourceThread,
  anAuthor,
  anId,
} from '../../support/factories.js';
import { record } from '../../support/indexerDeps.js';
import { indexerSuite } from '../../support/suiteStores.js';

const CDN = 'https://cdn.discordapp.com';

describe('findAttachment', () => {
  const { deps } = indexerSuite('cleared');

  /** A message with a file, and another thread of the same forum that forwards both. */
  async function aForwardedFile() {
    const source = aSourceThread();
    const author = anAuthor('rosalind');
    const original = aSourceMessage({ threadId: source.thread._id, author });
    const other = aSourceThread({ server: source.server, channel: source.channel });
    const threadId = other.thread._id;
    const id = anId();
    const url = `${CDN}/attachments/${threadId}/${id}/a.png`;
    const file = {
      id,
      filename: 'a.png',
      url,
      size: 1,
      contentType: 'image/png',
      width: null,
      height: null,
    };
    const { forwarded, ...copy } = aForward(original, { threadId, author: anAuthor('orlando') });
    const forward = { ...copy, forwarded: { ...forwarded!, attachments: [file] } };
    await record(deps, source, [original]);
    await record(deps, other, [forward]);
    const params = { messageId: forward._id, attachmentId: id };
    const find = () => findAttachment(deps.collections, params, CDN);
    return { find, params, author, serverId: source.server._id, other, file };
  }

  it('finds a forwarded file while its message may be shown', async () => {
    const { find, author, serverId } = await aForwardedFile();
    expect(await find()).to.include({ filename: 'a.png' });
    await leaveOut(deps, serverId, author.id);
    expect(await find()).to.equal(null);
    await leaveOut(deps, serverId, author.id, false);
    expect(await find()).to.include({ filename: 'a.png' });
  });

  it('answers with Retry-After, and logs why, while the platform gives no link', async () => {
    const { params } = await aForwardedFile();
    const away = new PlatformAway('It is away');
    const links = { linkOf: () => Promise.reject(away) };
    const open = openAttachment({ store: deps.collections, links, mirror: null, cdnUrl: CDN });
    const refusal = await open({ params } as Parameters<typeof open>[0]).catch(
      (error: unknown) => error as AppError,
    );
    expect(refusal).to.include({ code: 'UNAVAILABLE', cause: away });
    expect(refusal.headers).to.deep.equal({ 'Retry-After': '5' });
  });

  it('finds no file while its message, thread, channel or server may not be shown', async () => {
    const { find, params, other, serverId } = await aForwardedFile();
    const { messages, threads, channels, servers } = deps.collections;
    const cases: [unknown, string, object][] = [
      [messages, params.messageId, { counted: false }],
      [messages, params.messageId, { deleted: true }],
      [threads, other.thread._id, { deleted: true }],
      [channels, other.channel._id, { deleted: true }],
      [channels, other.channel._id, { withheldAt: new Date() }],
      [servers, serverId, { deleted: true }],
    ];
    for (const [collection, _id, change] of cases) {
      const records = collection as Collection<{ _id: string }>;
      const before = (await records.findOne({ _id }))!;
      await records.updateOne({ _id }, { $set: change });
      expect(await find(), JSON.stringify(change)).to.equal(null);
      await records.replaceOne({ _id }, before);
      expect(await find()).to.include({ filename: 'a.png' });
    }
  });

  it('finds no file to which an export gives the address of another file', async () => {
    const { find, params, file } = await aForwardedFile();
    const url = `${CDN}/attachments/${anId()}/${file.id}/a.png`;
    await deps.collections.messages.updateOne(
      { _id: params.messageId },
      { $set: { 'forwarded.attachments': [{ ...file, url }] } },
    );
    expect(await find()).to.equal(null);
  });

  it('leads to the link that an export told where there is no bot', async () => {
    const { params, file } = await aForwardedFile();
    const { messages } = deps.collections;
    const open = openAttachment({
      store: deps.collections,
      links: null,
      mirror: null,
      cdnUrl: CDN,
    });
    const ask = () =>
      open({ params } as Parameters<typeof open>[0]).catch((error: unknown) => error as AppError);
    expect(await ask()).to.deep.include({ headers: { Location: file.url } });
    const asOf = liveTime(Date.now() * 1_000);
    await messages.updateOne({ _id: params.messageId }, { $set: { asOf } });
    expect(await ask()).to.include({ code: 'NOT_CONFIGURED' });
  });

  it('finds no file that the platform does not show to its bot any more', async () => {
    const { params } = await aForwardedFile();
    const gone = new PlatformForbidden('Missing Access', 403, 50_001);
    const links = { linkOf: () => Promise.reject(gone) };
    const open = openAttachment({ store: deps.collections, links, mirror: null, cdnUrl: CDN });
    const refusal = await open({ params } as Parameters<typeof open>[0]).catch(
      (error: unknown) => error as AppError,
    );
    expect(refusal).to.include({ code: 'NOT_FOUND' });
  });

  it('finds no file of a person whose erasure was requested, even before it is done', async () => {
    const { find, author } = await aForwardedFile();
    await requestErasure(deps.collections, author.id);
    expect(await find()).to.equal(null);
  });
});
