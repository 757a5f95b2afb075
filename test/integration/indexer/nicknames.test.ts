import { expect } from 'chai';
import { deleteServer } from '../../../services/indexer/jobs/deletePlaces.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { claimMarks, setMarks } from '../../../services/indexer/work/claims.js';
import { runClaimed } from '../../../services/indexer/work/runMarks.js';
import type { UserProfile } from '../../../shared/contract/users.js';
import type { SourceMessage } from '../../../shared/store/records.js';
import { aSourceMessage, aSourceThread, anAuthor, anId } from '../../support/factories.js';
import { build, doAll, record } from '../../support/indexerDeps.js';
import { leaveOut } from '../../support/leaveOut.js';
import { readBody } from '../../support/readBody.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { bringToRest, verifyNow } from '../../support/verifiedArchive.js';

const AL = anAuthor('person', { displayName: 'Al', avatar: 'https://cdn.discordapp.com/al.png' });
const DELETED = 'that was deleted';
const BOB = { ...AL, displayName: 'Bob', avatar: 'https://cdn.discordapp.com/bob.png' };

describe('a person with a name of their own on each server', () => {
  const { stores, deps } = indexerSuite('cleared');

  /** A server with a thread that they have started. */
  async function aServerOf(author: typeof AL, asOf: number) {
    const source = aSourceThread({ asOf });
    const { serverId, channelId, _id: threadId } = source.thread;
    const said = { threadId, author };
    const first = aSourceMessage({ ...said, _id: threadId, asOf });
    await record(deps, source, [first]);
    await build(deps, threadId);
    return {
      serverId,
      channelId,
      /** Tells the same message once more. */
      tell: (at: number) => record(deps, source, [{ ...first, asOf: at }]),
      async say(at: number, more: Partial<SourceMessage> = {}) {
        await record(deps, source, [aSourceMessage({ ...said, _id: anId(), asOf: at, ...more })]);
        await build(deps, threadId);
      },
    };
  }
  /** One server says Al, and later another one says Bob. */
  async function twoServers() {
    const first = await aServerOf(AL, 1_000);
    const second = await aServerOf(BOB, 2_000);
    await bringToRest(deps, stores);
    expect(await shownNames()).to.deep.equal(['Bob']);
    return { first, second };
  }
  /** The names that their profile and all lines of leaderboards show. */
  const shownNames = async (servers = 2) => {
    const profile = await readBody<UserProfile>(deps.collections, `user/${AL.id}`);
    const lines = await deps.collections.ranks.find({ item: { $regex: AL.id } }).toArray();
    expect(new Set(lines.map(({ member }) => member)).size).to.equal(servers);
    const named = lines.map(({ item }) => /"displayName":"(\w+)"/.exec(item)?.[1]);
    return [...new Set([profile?.displayName, ...named])];
  };
  /** Everything that is counted about them, as text. */
  const counted = async () => {
    const { members, ranks } = deps.collections;
    const profile = await readBody<UserProfile>(deps.collections, `user/${AL.id}`);
    return JSON.stringify([profile, await members.find().toArray(), await ranks.find().toArray()]);
  };
  const verified = async () => {
    await bringToRest(deps, stores);
    const { clean, differences } = await verifyNow(deps);
    expect(differences).to.deep.equal([]);
    expect(clean).to.equal(true);
  };

  it('is shown everywhere as in their last message, whenever the other messages were told', async () => {
    const { first } = await twoServers();
    expect(await first.tell(3_000)).to.include({ isChanged: false });
    await doAll(deps);
    expect(await shownNames()).to.deep.equal(['Bob']);
    await verified();
    await first.say(3_000);
    await doAll(deps);
    expect(await shownNames()).to.deep.equal(['Al']);
    await verified();
  });

  it('is marked for counting only where what is shown is new', async () => {
    const { second } = await twoServers();
    await second.tell(3_000);
    expect(await deps.collections.work.countDocuments()).to.equal(0);
  });

  it('is counted again when they wrote under another name while they were counted', async () => {
    const { first, second } = await twoServers();
    const { work } = deps.collections;
    await first.say(3_000);
    const marks = await claimMarks(deps, await work.find({ kind: 'person' }).toArray());
    expect(marks).to.have.length(1);
    await second.say(4_000);
    await runClaimed(deps, 'person', marks);
    expect(await work.findOne({ _id: `person/${AL.id}` })).to.not.equal(null);
    await doAll(deps);
    expect(await shownNames()).to.deep.equal(['Bob']);
  });

  it('keeps the name that was told last where a later source tells none', async () => {
    const { first } = await twoServers();
    const author = { ...AL, displayName: 'person', username: 'renamed' };
    const untold = { _id: anId(), author, partsAsOf: { displayName: 0 } };
    await first.say(3_000, untold);
    await doAll(deps);
    expect(await shownNames()).to.deep.equal(['Bob']);
    expect(await counted()).to.match(/"username":"renamed".*al.png/);
    await verified();
    // Another source tells that they have no other name.
    await first.say(2_000, { ...untold, partsAsOf: {} });
    await doAll(deps);
    expect(await shownNames()).to.deep.equal(['person']);
    await verified();
  });

  const hidden: [string, (place: { serverId: string; channelId: string }) => Promise<unknown>][] = [
    [
      'which they left the archive of',
      async ({ serverId }) => {
        await leaveOut(stores.mongo, serverId, AL.id);
        await setMarks(deps, 'member', [`${serverId}/${AL.id}`]);
      },
    ],
    [DELETED, ({ serverId }) => deleteServer(deps, { serverId }, REPORT_NOBODY)],
    [
      'whose forum is withheld',
      async ({ channelId }) => {
        const withheldAt = new Date();
        await deps.collections.channels.updateOne({ _id: channelId }, { $set: { withheldAt } });
        await setMarks(deps, 'channel', [channelId]);
      },
    ],
  ];
  for (const [which, hide] of hidden) {
    it(`is not shown by the name and picture of a server ${which}`, async () => {
      const { first, second } = await twoServers();
      await hide(second);
      await doAll(deps);
      const isAl = async () => {
        expect(await shownNames(1)).to.deep.equal(['Al']);
        expect(await counted()).not.to.match(/Bob|bob/);
      };
      await isAl();
      await first.tell(3_000);
      if (which !== DELETED) await second.say(4_000);
      await doAll(deps);
      await isAl();
      await verified();
    });
  }
});
