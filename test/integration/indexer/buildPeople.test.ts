import { expect } from 'chai';
import { mock } from 'node:test';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { addUpPeople } from '../../../services/indexer/build/addUpPeople.js';
import { dayOf } from '../../../services/indexer/views/tallyPeople.js';
import { setMarks } from '../../../services/indexer/work/claims.js';
import { runDue } from '../../../services/indexer/work/runMarks.js';
import type { Announcement } from '../../../shared/jobs/announcements.js';
import type { UserProfile } from '../../../shared/contract/users.js';
import { aSourceMessage, aSourceThread, anAuthor, anId } from '../../support/factories.js';
import { doAll, record } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { readsOfEach } from '../../support/readsOfEach.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('counting people', () => {
  const { stores, deps } = indexerSuite();
  beforeEach(() => doAll(deps));

  /** Has somebody start a thread on a server. */
  async function startThread(serverId: string, author = anAuthor('ada', { id: anId() })) {
    const source = aSourceThread();
    const { server, channel, thread } = source;
    const threadId = anId();
    await record(
      deps,
      {
        ...source,
        server: { ...server, _id: serverId },
        channel: { ...channel, _id: `${serverId}1`.slice(-18), serverId },
        thread: {
          ...thread,
          _id: threadId,
          serverId,
          channelId: `${serverId}1`.slice(-18),
          ownerId: author.id,
        },
      },
      [aSourceMessage({ _id: threadId, threadId, author })],
    );
    await runDue(deps, { subject: threadId }, ['thread']);
    return author;
  }
  const marked = async (kind: 'person' | 'server'): Promise<string[]> => {
    const found = await deps.collections.work.find({ kind }).sort({ _id: 1 }).toArray();
    return found.map(({ subject }) => subject);
  };

  it('has only those servers counted and announced on which something of the person has changed', async () => {
    const [quiet, lively] = [anId(), anId()];
    const author = await startThread(quiet);
    await startThread(lively, author);
    await doAll(deps);
    await startThread(lively, author);
    await deps.collections.work.deleteMany({ kind: { $ne: 'person' } });
    const told: Partial<Announcement>[] = [];
    const announcer = {
      ...deps.announcer,
      announce: (change: Partial<Announcement>) => void told.push(change),
    };
    const listening: IndexerDeps = { ...deps, announcer };
    await runDue(listening, {}, ['person']);
    expect(await marked('server')).to.deep.equal([lively]);
    expect(told).to.deep.equal([{ users: [author.id], servers: [lively] }]);
    // A profile that is written once more, as after a rename of a server, has no server counted.
    await deps.collections.work.deleteMany({});
    await setMarks(deps, 'person', [author.id]);
    await runDue(listening, {}, ['person']);
    expect(await marked('server')).to.deep.equal([]);
    expect(told.at(-1)).to.deep.equal({ users: [author.id], servers: [] });
  });

  it('has a server announced again on which only the shown name has changed', async () => {
    const serverId = anId();
    const author = await startThread(serverId);
    await doAll(deps);
    const { contributions, ranks } = deps.collections;
    await contributions.updateMany(
      { userId: author.id },
      { $set: { 'author.displayName': 'Countess' } },
    );
    await setMarks(deps, 'person', [author.id]);
    await runDue(deps, {}, ['person']);
    expect(
      await ranks.countDocuments({ member: `${serverId}/${author.id}`, item: /Countess/ }),
    ).to.be.above(0);
    // The process may be killed before it announces the leaderboard. The mark of the server has it announced again.
    expect(await marked('server')).to.deep.equal([serverId]);
  });

  it('has a server counted from which somebody is gone', async () => {
    const serverId = anId();
    const author = await startThread(serverId);
    await doAll(deps);
    await deps.collections.contributions.deleteMany({ userId: author.id });
    await setMarks(deps, 'person', [author.id], { causes: ['erase-user/1'] });
    await runDue(deps, {}, ['person']);
    expect(await marked('server')).to.deep.equal([serverId]);
    const mark = await deps.collections.work.findOne({ kind: 'server' });
    expect(mark?.causes).to.deep.equal(['erase-user/1']);
  });

  it('replaces a damaged row that lacks its numbers', async () => {
    const { members } = deps.collections;
    const serverId = anId();
    const author = await startThread(serverId);
    await doAll(deps);
    await members.updateMany({ serverId }, { $unset: { messages: '', threads: '' } });
    await setMarks(deps, 'person', [author.id]);
    await runDue(deps, {}, ['person']);
    expect(await members.findOne({ serverId })).to.include({ messages: 1, threads: 1 });
  });

  it('keeps no server from being counted where it fails, and tells why', async () => {
    const serverId = anId();
    const author = await startThread(serverId);
    const other = await startThread(anId());
    const { contributions, bodies } = deps.collections;
    await setMarks(deps, 'server', [serverId]);
    const failed = mock.method(contributions, 'find', () => {
      throw new Error('It takes too long');
    });
    const outcome = await runDue(deps, {}, ['person', 'server', 'shown']).catch(String);
    failed.mock.restore();
    expect(outcome).to.equal('Error: It takes too long');
    expect(await bodies.findOne({ _id: `stats/${serverId}` })).to.not.equal(null);
    expect(await marked('server')).to.not.include(serverId);
    expect(await marked('person')).to.have.members([author.id, other.id]);
    await doAll(deps);
    expect(await marked('person')).to.deep.equal([]);
  });

  it('counts somebody who wrote in very many threads by calls that each read few of them', async () => {
    const { contributions, members } = deps.collections;
    const author = await startThread(anId());
    const part = (await contributions.findOne({ userId: author.id }))!;
    const today = dayOf(new Date());
    const at = (n: number) => new Date((today - n) * 86_400_000);
    const day = { messages: 2, threads: 1, reactions: 3 };
    await contributions.insertMany(
      Array.from({ length: 3_000 }, (_, n) => ({
        ...part,
        ...{ ...day, _id: `${n + 1}/${author.id}`, threadId: `${n + 1}` },
        ...{ firstAt: at(n), lastAt: at(n), days: [{ day: today - n, ...day }] },
        author: { ...part.author, username: `ada${n}`, displayName: `Ada ${n}` },
        ...(n > 20 && { namedAt: at(n) }),
      })),
    );
    await contributions.deleteOne({ _id: part._id });
    await setMarks(deps, 'person', [author.id]);
    const read = await readsOfEach(stores.mongo, contributions, async () => {
      expect(await runDue(deps, {}, ['person'])).to.equal(true);
    });
    expect(read.reduce((sum, one) => sum + one, 0)).to.equal(3_000);
    expect(Math.max(...read)).to.be.at.most(1_001);
    expect(await members.findOne({ userId: author.id })).to.deep.include({
      ...{ messages: 6_000, threads: 3_000, reactions: 9_000, username: 'ada0' },
      ...{ firstAt: at(2_999), lastAt: at(0) },
    });
    const profile = await readBody<UserProfile>(deps.collections, `user/${author.id}`);
    expect(profile).to.include({ username: 'ada0', displayName: 'Ada 21', messageCount: 6_000 });
    const { appearances } = await addUpPeople(deps.collections, { userId: author.id }, today);
    const last = Array.from({ length: 10 }, (_, n) => `${n + 1}`);
    expect(appearances.get(author.id)?.recentThreads).to.deep.equal(last);
  });
});
