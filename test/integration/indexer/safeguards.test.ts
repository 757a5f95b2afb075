import { expect } from 'chai';
import { buildPeople, markAgedMembers } from '../../../services/indexer/build/buildPeople.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { ingest } from '../../../services/indexer/ingest/ingest.js';
import { deleteMessage } from '../../../services/indexer/jobs/deleteMessage.js';
import { REDACTED } from '../../../shared/store/redacted.js';
import { claimMarks, setMarks } from '../../../services/indexer/work/claims.js';
import { runClaimed, runDue } from '../../../services/indexer/work/runMarks.js';
import { dayOf } from '../../../services/indexer/views/tallyPeople.js';
import type { Announcement } from '../../../shared/jobs/announcements.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { NEVER } from '../../../shared/store/work.js';
import { atOtherTime } from '../../support/atOtherTime.js';
import { aSourceMessage, aSourceThread, anAuthor } from '../../support/factories.js';
import {
  anotherProcess,
  build,
  doAll,
  endLeases,
  inBatches,
  record,
} from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('the safeguards of records', () => {
  const { stores, deps } = indexerSuite();

  const another = () => anotherProcess(deps, stores);
  async function builtThread() {
    const source = aSourceThread({ asOf: 1_000 });
    const threadId = source.thread._id;
    const message = aSourceMessage({ _id: threadId, threadId, content: 'first', asOf: 1_000 });
    await record(deps, source, [message]);
    await build(deps, threadId);
    return { source, threadId, message, later: { ...message, content: 'later', asOf: 2_000 } };
  }
  const contents = async (threadId: string) =>
    (await readBody<ThreadDetail>(deps.collections, `thread/${threadId}`))?.messages.map(
      ({ content }) => content,
    );

  it('leave a mark for messages whose job does not continue', async () => {
    const { source, threadId, later } = await builtThread();
    await record(deps, source, [later]);
    await runDue(deps, { subject: threadId });
    expect(await contents(threadId)).to.deep.equal(['later']);
  });

  it('show the new name of a server everywhere, even if nothing else is new', async () => {
    const { source, message } = await builtThread();
    await doAll(deps);
    const server = { ...source.server, name: 'Renamed' };
    const told = { ...source, asOf: 3_000, server, thread: null };
    await ingest(deps, { told }, inBatches([]));
    await doAll(deps);
    for (const name of [`server/${server._id}`, 'servers/all', `user/${message.author.id}`]) {
      const body = await readBody(deps.collections, name);
      expect(JSON.stringify(body), name).to.include('Renamed');
    }
  });

  it('ignore a source for a deleted message, and do not call that a change', async () => {
    const { source, message, later } = await builtThread();
    const { messages } = deps.collections;
    await messages.updateOne({ _id: message._id }, { $set: REDACTED });
    expect(await record(deps, source, [later])).to.include({ isChanged: false });
    expect((await messages.findOne({ _id: message._id }))?.content).to.equal('');
  });

  it('ignore a source for a message that is deleted at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { source, message, later } = await builtThread();
      // Each uses transactions of its own, as other processes would.
      const others = [another(), another()] as const;
      const telling = record(others[0], source, [later]);
      await Promise.all([telling, deleteMessage(others[1], { messageId: message._id })]);
      const left = await deps.collections.messages.findOne({ _id: message._id });
      expect(left).to.include({ content: '', deleted: true });
    }
  });

  it('bring nobody back who was being counted by a slow process', async () => {
    const { collections } = deps;
    const author = anAuthor('passerby');
    const source = aSourceThread();
    const threadId = source.thread._id;
    const said = aSourceMessage({ threadId, author });
    await record(deps, source, [aSourceMessage({ _id: threadId, threadId }), said]);
    await build(deps, threadId);
    const own = { userId: author.id };
    let counted = -1;
    const held = await collections.work.find({ subject: author.id }).toArray();
    const slow: IndexerDeps = {
      ...deps,
      // It has counted, but stores the result late.
      async commit(change) {
        await endLeases(deps, author.id);
        await deleteMessage(deps, { messageId: said._id });
        counted = await collections.members.countDocuments(own);
        return deps.commit(change);
      },
    };
    await buildPeople(slow, await claimMarks(deps, held));
    expect(counted).to.equal(0);
    await doAll(deps);
    const member = `${source.server._id}/${author.id}`;
    expect(await collections.members.countDocuments(own)).to.equal(0);
    expect(await collections.ranks.countDocuments({ member })).to.equal(0);
    expect(await readBody(collections, `user/${author.id}`)).to.equal(null);
  });

  it('bring a person onto the leaderboards who was counted on the day before they wrote', async () => {
    const { members, ranks, work } = deps.collections;
    const author = anAuthor('early');
    const source = aSourceThread();
    const threadId = source.thread._id;
    await record(deps, source, [aSourceMessage({ threadId, author, createdAt: new Date() })]);
    await build(deps, threadId);
    await doAll(deps);
    const line = { _id: `${source.server._id}/messages/month/${author.id}` };
    await ranks.deleteOne(line);
    const aged = { userId: author.id };
    await members.updateOne(aged, { $inc: { periodDay: -1 } });
    await markAgedMembers(deps, new Date());
    await doAll(deps);
    expect(await ranks.countDocuments(line)).to.equal(1);
    // Work that always fails is not marked again by this.
    await members.updateOne(aged, { $inc: { periodDay: -1 } });
    await setMarks(deps, 'person', [author.id]);
    const isAside = { subject: author.id };
    await work.updateOne(isAside, { $set: { due: NEVER } });
    const before = await work.findOne(isAside);
    await markAgedMembers(deps, new Date());
    expect(await work.findOne(isAside)).to.deep.equal(before);
    await work.deleteOne(isAside);
  });

  it('bring a person back onto the leaderboards who was counted by a clock that was ahead', async () => {
    const { members, ranks, work } = deps.collections;
    const author = anAuthor('timely');
    const source = aSourceThread();
    const threadId = source.thread._id;
    await record(deps, source, [aSourceMessage({ threadId, author, createdAt: new Date() })]);
    await build(deps, threadId);
    await doAll(deps);
    const line = { _id: `${source.server._id}/messages/week/${author.id}` };
    const today = (await members.findOne({ userId: author.id }))!.periodDay!;
    for (const days of [8, 400]) {
      await atOtherTime(days * 86_400_000, async () => {
        await setMarks(deps, 'person', [author.id]);
        await doAll(deps);
      });
      expect(await ranks.countDocuments(line)).to.equal(0);
      await markAgedMembers(deps, new Date());
      await doAll(deps);
      expect(await ranks.countDocuments(line)).to.equal(1);
      const now = (await members.findOne({ userId: author.id }))!.periodDay;
      expect(now).to.be.within(today, today + 1);
    }
    // Around midnight, another clock may show the next day. What it has counted is not counted again and again.
    await members.updateOne({ userId: author.id }, { $set: { periodDay: dayOf(new Date()) + 1 } });
    await markAgedMembers(deps, new Date());
    expect(await work.findOne({ kind: 'person', subject: author.id })).to.equal(null);
  });

  it('let the latest source of a thread win, even if it only repeated what was known', async () => {
    for (let round = 0; round < 4; round += 1) {
      const monday = aSourceThread({ asOf: 1_000, thread: { archived: false } });
      await record(deps, monday);
      const told = (asOf: number, archived: boolean) => ({
        ...monday,
        asOf,
        thread: { ...monday.thread, archived },
      });
      await Promise.all([
        record(another(), told(3_000, false)),
        record(another(), told(2_000, true)),
      ]);
      const stored = await deps.collections.threads.findOne({ _id: monday.thread._id });
      expect(stored).to.include({ archived: false, asOf: 3_000 });
      expect(stored?.stamps).to.include({ archived: 3_000 });
    }
  });

  /** Deps that record what is announced. */
  const heardBy = (own: IndexerDeps, heard: Partial<Announcement>[]): IndexerDeps => {
    const announce = (change: Partial<Announcement>) => void heard.push(change);
    return { ...own, announcer: { ...own.announcer, announce } };
  };

  it('announce a thread again whose builder was killed before it announced it', async () => {
    const { source, threadId, later } = await builtThread();
    await doAll(deps);
    await record(deps, source, [later]);
    await build(heardBy(deps, []), threadId);
    const heard: Partial<Announcement>[] = [];
    await doAll(heardBy(deps, heard));
    const place = { threadId, serverId: source.server._id, channelId: source.channel._id };
    expect(heard.flatMap(({ threads = [] }) => threads)).to.deep.equal([place]);
  });

  it('announce a change whose answer from MongoDB was lost', async () => {
    const { source, threadId, message } = await builtThread();
    const subjects = [
      ['person', message.author.id],
      ['server', source.server._id],
      ['shown', threadId],
    ] as const;
    const heard: Partial<Announcement>[] = [];
    const lost: IndexerDeps = {
      ...heardBy(deps, heard),
      async commit(change) {
        await deps.commit(change);
        throw new Error('The connection is lost');
      },
    };
    for (const [kind, subject] of subjects) {
      await setMarks(deps, kind, [subject]);
      const marks = await deps.collections.work.find({ kind, subject }).toArray();
      const run = runClaimed(lost, kind, await claimMarks(deps, marks));
      expect(await run.catch(String)).to.include('connection is lost');
      const told = heard
        .splice(0)
        .flatMap(({ users = [], servers = [], similar = [] }) => [
          ...users,
          ...servers,
          ...similar,
        ]);
      expect(told, kind).to.include(subject);
    }
  });

  it('lose no field of a channel that two jobs write at the same time', async () => {
    const told = { topic: 'about', position: 3, parentId: '7', parentName: 'above', type: 15 };
    for (let round = 0; round < 4; round += 1) {
      const source = aSourceThread();
      await record(deps, source);
      const racing = Object.entries(told).map(([name, value]) =>
        record(another(), { ...source, channel: { ...source.channel, [name]: value } }),
      );
      await Promise.all(racing);
      const channel = await deps.collections.channels.findOne({ _id: source.channel._id });
      expect(channel).to.include(told);
    }
  });
});
