import { expect } from 'chai';
import { openAvatar } from '../../../services/api/files/openPicture.js';
import { setMarks } from '../../../services/indexer/work/claims.js';
import { aSourceMessage, aSourceThread, anAuthor } from '../../support/factories.js';
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
    // A row that an earlier version has counted.
    await deps.collections.members.updateMany({}, { $unset: { avatar: '' } });
    expect(await place()).to.equal(second.avatar);
  });
});
