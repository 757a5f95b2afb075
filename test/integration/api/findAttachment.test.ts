import { expect } from 'chai';
import { findAttachment } from '../../../services/api/files/findAttachment.js';
import { openAttachment } from '../../../services/api/files/openAttachment.js';
import type { AppError } from '../../../shared/contract/errors.js';
import { PlatformAway } from '../../../shared/discordApi/platformErrors.js';
import { leaveOut } from '../../support/leaveOut.js';
import { requestErasure } from '../../../shared/store/erasures.js';
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
  const { deps } = indexerSuite('reopened');

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
    return { find, params, author, serverId: source.server._id, original };
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

  it('finds no file of a person whose erasure was requested, even before it is done', async () => {
    const { find, author } = await aForwardedFile();
    await requestErasure(deps.collections, author.id);
    expect(await find()).to.equal(null);
  });
});
