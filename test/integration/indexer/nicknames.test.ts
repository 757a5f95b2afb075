import { expect } from 'chai';
import { claimMarks } from '../../../services/indexer/work/claims.js';
import { runClaimed } from '../../../services/indexer/work/runMarks.js';
import type { UserProfile } from '../../../shared/contract/users.js';
import { aSourceMessage, aSourceThread, anAuthor } from '../../support/factories.js';
import { build, doAll, record } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { bringToRest, verifyNow } from '../../support/verifiedArchive.js';

const AL = anAuthor('person', { displayName: 'Al' });
const BOB = { ...AL, displayName: 'Bob' };

describe('a person with a name of their own on each server', () => {
  const { stores, deps } = indexerSuite('emptied');

  /** Says what is the same of one server's thread whenever it is told. */
  function aServerOf(author: typeof AL) {
    const source = aSourceThread();
    const threadId = source.thread._id;
    const message = aSourceMessage({ _id: threadId, threadId, author });
    const at = (asOf: number) => [{ ...message, asOf }];
    return {
      tell: (asOf: number) => record(deps, source, at(asOf)),
      async begin(asOf: number) {
        await record(deps, { ...source, asOf }, at(asOf));
        await build(deps, threadId);
      },
    };
  }
  /** One server says Al, another, later, Bob. */
  async function twoServers() {
    const [first, second] = [aServerOf(AL), aServerOf(BOB)];
    await first.begin(1_000);
    await second.begin(2_000);
    await bringToRest(deps, stores);
    expect(await shownNames()).to.deep.equal(['Bob']);
    return { first, second };
  }
  /** In their profile and all lines of leaderboards. */
  const shownNames = async () => {
    const profile = await readBody<UserProfile>(deps.collections, `user/${AL.id}`);
    const lines = await deps.collections.ranks.find({ item: { $regex: AL.id } }).toArray();
    expect(new Set(lines.map(({ member }) => member)).size).to.equal(2);
    const named = lines.map(({ item }) => /"displayName":"(\w+)"/.exec(item)?.[1]);
    return [...new Set([profile?.displayName, ...named])];
  };

  it('is shown everywhere by the one told last, though nothing else of a source is new', async () => {
    const { first } = await twoServers();
    expect(await first.tell(3_000)).to.include({ isChanged: false });
    await doAll(deps);
    expect(await shownNames()).to.deep.equal(['Al']);
    expect(await verifyNow(deps)).to.deep.include({ clean: true, differences: [] });
  });

  it('is marked for counting only where what is shown is new', async () => {
    const { second } = await twoServers();
    await second.tell(3_000);
    expect(await deps.collections.work.countDocuments()).to.equal(0);
    expect(await deps.collections.users.findOne({ _id: AL.id })).to.include({ asOf: 3_000 });
  });

  it('is counted again when another name was told while it was counted', async () => {
    const { first, second } = await twoServers();
    await first.tell(3_000);
    const { work } = deps.collections;
    const marks = await claimMarks(deps, await work.find({ kind: 'person' }).toArray());
    await second.tell(4_000);
    await runClaimed(deps, 'person', marks);
    expect(await work.findOne({ _id: `person/${AL.id}` })).to.not.equal(null);
    await doAll(deps);
    expect(await shownNames()).to.deep.equal(['Bob']);
  });
});
