import { expect } from 'chai';
import type { ParticipantList, ThreadDetail } from '../../../shared/contract/threads.js';
import type { ServerStats } from '../../../shared/contract/servers.js';
import type { UserProfile } from '../../../shared/contract/users.js';
import type { AuthorSnapshot, SourceMessage } from '../../../shared/store/records.js';
import type { Announcement } from '../../../shared/jobs/announcements.js';
import {
  documentId,
  searchAlias,
  writesAlias,
  type MessageDocument,
} from '../../../shared/store/searchIndex.js';
import { stateOf } from '../../../shared/store/state.js';
import type { ContributionView } from '../../../shared/store/views.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { countMembers } from '../../../services/indexer/build/countMembers.js';
import { countProfiles } from '../../../services/indexer/build/countProfiles.js';
import { addUpPeople } from '../../../services/indexer/build/addUpPeople.js';
import { takeOut } from '../../../services/indexer/build/takeOut.js';
import { ingest } from '../../../services/indexer/ingest/ingest.js';
import { SourceConflict } from '../../../services/indexer/ingest/source.js';
import { deleteMessage } from '../../../services/indexer/jobs/deleteMessage.js';
import { deleteThread } from '../../../services/indexer/jobs/deleteThread.js';
import { hollowThread } from '../../../services/indexer/records/tombstones.js';
import { memberId } from '../../../shared/store/optOuts.js';
import { ERASED_ID, REDACTED } from '../../../shared/store/redacted.js';
import { claimMarks, setMarks } from '../../../services/indexer/work/claims.js';
import type { Commit } from '../../../services/indexer/work/commit.js';
import { runClaimed, runDue } from '../../../services/indexer/work/runMarks.js';
import { liveIndex } from '../../../services/indexer/search/generations.js';
import { SearchUnavailable } from '../../../services/indexer/stores/sendBulk.js';
import { recordMessageDeletions } from '../../../services/indexer/sync/removeDeleted.js';
import { until } from '../../support/apiServer.js';
import { aSourceMessage, aSourceThread, anAuthor, anId } from '../../support/factories.js';
import {
  build,
  doAll,
  endLeases,
  inBatches,
  prolongLeases,
  record,
  stalled,
} from '../../support/indexerDeps.js';
import { leaveOut } from '../../support/leaveOut.js';
import { readBody } from '../../support/readBody.js';
import { aFile, LIVE } from '../../support/mirrorRig.js';
import { noise } from '../../support/noise.js';
import { indexerSuite } from '../../support/suiteStores.js';

const CDN = 'https://cdn.discordapp.com';

/** A thread by Ada, with answers by Grace and a bot. */
function aConversation(more: Parameters<typeof aSourceThread>[0] = {}) {
  const source = aSourceThread(more);
  const threadId = source.thread._id;
  const say = (content: string, fields = {}) => aSourceMessage({ threadId, content, ...fields });
  const messages = [
    say('How do I start?', { _id: threadId }),
    say('With **npm start**', {
      author: anAuthor('grace'),
      reactions: [{ emoji: { id: null, name: '👍', animated: false }, count: 3, userIds: [] }],
    }),
    say('I am a bot', { author: anAuthor('helper', { isBot: true }) }),
    say('Pinned a message.', { type: 6, counted: false, author: anAuthor('mod') }),
  ];
  return { source, threadId, messages };
}

describe('building a thread', () => {
  const { stores, deps } = indexerSuite('emptied');

  const detail = (threadId: string) =>
    readBody<ThreadDetail>(deps.collections, `thread/${threadId}`);
  const itemOf = (threadId: string) => deps.collections.threadItems.findOne({ _id: threadId });
  const markOf = (threadId: string) => deps.collections.work.findOne({ _id: `thread/${threadId}` });
  const searchVersion = async (kind: 'thread' | 'message', id: string) => {
    const found = await stores.elasticsearch.get<{ kind: string }>({
      index: searchAlias(stores.mongo.namespace),
      id: documentId(kind, id),
    });
    return { version: found._version, kind: found._source?.kind };
  };

  const searchedMessage = async (id: string) => {
    const index = searchAlias(stores.mongo.namespace);
    const found = await stores.elasticsearch.get<MessageDocument>({
      index,
      id: documentId('message', id),
    });
    return found._source!;
  };

  /** The versions of a thread's own search document, and of those of some messages. */
  const versionsOf = async (threadId: string, messages: SourceMessage[]) => {
    const found = [searchVersion('thread', threadId)];
    for (const { _id } of messages) found.push(searchVersion('message', _id));
    return (await Promise.all(found)).map(({ version }) => version);
  };

  it('builds many threads at a time, but only a few long ones, so that they fit into memory', async () => {
    const { threadItems } = deps.collections;
    const sources = Array.from({ length: 6 }, () => aSourceThread());
    const ids = sources.map(({ thread }) => thread._id);
    for (const source of sources) {
      await record(deps, source, [
        aSourceMessage({ _id: source.thread._id, threadId: source.thread._id }),
      ]);
    }
    await Promise.all(ids.map((id) => build(deps, id)));
    const inAll = { $in: ids };
    // This is what their last builds counted.
    await threadItems.updateMany({ _id: inAll }, { $set: { 'facts.messages': 100_000 } });
    await setMarks(deps, 'thread', ids);
    const claimed = await claimMarks(
      deps,
      await deps.collections.work.find({ subject: inAll, kind: 'thread' }).toArray(),
    );
    const underWay = new Set<() => void>();
    let begun = 0;
    const commit: Commit = async (change) => {
      // Each build stores together with its own mark. All claims are renewed in one change.
      if (change.reads.work?.length !== 1) return deps.commit(change);
      begun += 1;
      await new Promise<void>((go) => underWay.add(go));
      return deps.commit(change);
    };
    const built = runClaimed(
      { ...deps, commit: Object.assign(commit, { first: commit }) },
      'thread',
      claimed,
    );
    await until(() => underWay.size === 3);
    expect(begun).to.equal(3);
    for (const go of underWay) go();
    await until(() => begun === 6);
    for (const go of underWay) go();
    await built;
    expect(await markOf(ids[5]!)).to.equal(null);
  });

  it('builds every view from the records, and removes the mark', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages);
    await build(deps, threadId);

    const body = await detail(threadId);
    expect(body).to.include({
      id: threadId,
      title: 'How do I start?',
      status: 'open',
      messageCount: 3,
    });
    expect(body?.messages.map(({ content }) => content)).to.deep.equal([
      'How do I start?',
      'With **npm start**',
      'I am a bot',
    ]);
    expect(body?.messages[1]?.contentHtml).to.contain('<strong>npm start</strong>');
    const participants = await readBody<ParticipantList>(
      deps.collections,
      `participants/${threadId}`,
    );
    expect(participants).to.include({ total: 3, humans: 2, bots: 1 });
    const item = await deps.collections.threadItems.findOne({ _id: threadId });
    expect(JSON.parse(item!.item)).to.include({ preview: 'How do I start?', messageCount: 3 });
    expect(await markOf(threadId)).to.equal(null);
    for (const [kind, id] of [
      ['thread', threadId],
      ['message', messages[1]!._id],
    ] as const) {
      expect(await searchVersion(kind, id)).to.deep.equal({ version: item?.revision, kind });
    }
  });

  it('counts people, profiles and statistics', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages);
    await build(deps, threadId);
    await doAll(deps);

    const stats = await readBody<ServerStats>(deps.collections, `stats/${source.server._id}`);
    expect(stats?.stats).to.deep.equal({
      threads: { total: 1, open: 1, resolved: 0, archived: 0 },
      messages: { total: 3, byHumans: 2, byBots: 1, avgPerThread: 3 },
      participants: { unique: 3, humans: 2, bots: 1 },
      channels: 1,
      reactions: { total: 3, uniqueEmojis: 1 },
    });
    const grace = await readBody<UserProfile>(deps.collections, `user/${anAuthor('grace').id}`);
    expect(grace?.servers).to.deep.include({
      serverId: source.server._id,
      serverName: 'Server',
      messageCount: 1,
      threadCount: 0,
    });
    expect(grace?.recentThreads.map(({ id }) => id)).to.include(threadId);
    const board = await deps.collections.ranks
      .find({ boards: `${source.server._id}/messages/all/humans` })
      .sort({ key: 1 })
      .toArray();
    expect(board.map(({ count }) => count)).to.deep.equal([1, 1]);
  });

  it("adds up a person's threads for all time, for 30 days and for 7, today included", async () => {
    const today = 20_000;
    const { id: userId, discriminator: _, ...author } = anAuthor(`counted-${anId()}`);
    const serverId = anId();
    /** What the person did in a thread: one message on each of these days before today. */
    const inThread = (daysAgo: number[]): ContributionView => {
      const times = daysAgo.map((ago) => (today - ago) * 86_400_000);
      const counts = { messages: 1, threads: 0, reactions: 2 };
      const threadId = anId();
      return {
        _id: `${threadId}/${userId}`,
        ...{ threadId, userId, serverId, revision: 1, author },
        ...{ messages: daysAgo.length, threads: 1, reactions: 2 * daysAgo.length },
        firstAt: new Date(Math.min(...times)),
        lastAt: new Date(Math.max(...times)),
        days: daysAgo.map((ago) => ({ day: today - ago, ...counts })),
      };
    };
    const { contributions } = deps.collections;
    const both = [inThread([40, 30, 29]), inThread([7, 6, 0])];
    await contributions.insertMany(both);
    const which = { userId };
    const sums = await addUpPeople(deps.collections, which, today);
    const counted = countMembers(deps, sums, { version: 1, today });
    expect(counted.members).to.have.length(1);
    expect(counted.members[0]).to.deep.include({
      ...{ messages: 6, threads: 2, reactions: 12 },
      firstAt: both[0]!.firstAt,
      lastAt: both[1]!.lastAt,
    });
    const lines = counted.ranks.map(({ _id, count }) => [_id.split('/').slice(1, 3).join(), count]);
    expect(Object.fromEntries(lines)).to.deep.equal({
      ...{ 'messages,all': 6, 'threads,all': 2, 'reactions,all': 12 },
      ...{ 'messages,month': 4, 'reactions,month': 8 },
      ...{ 'messages,week': 2, 'reactions,week': 4 },
    });
    // The same rows make the same profile, in whatever order they come.
    const member = counted.members[0]!;
    const rows = ['9', '8'].map((id) => ({ ...member, _id: `${id}/${userId}`, serverId: id }));
    const profiles = await countProfiles(deps, [userId], rows, sums.appearances);
    const { servers } = JSON.parse(profiles.get(`user/${userId}`)!) as UserProfile;
    expect(servers.map((one) => one.serverId)).to.deep.equal(['8', '9']);
  });

  it('tells when a server was last read, even if its only thread was emptied since', async () => {
    const { source, threadId, messages } = aConversation();
    const serverId = source.server._id;
    const lastSyncAt = async () => {
      await setMarks(deps, 'server', [serverId]);
      await doAll(deps);
      return (await readBody<ServerStats>(deps.collections, `stats/${serverId}`))?.lastSyncAt;
    };
    await record(deps, source, messages);
    await build(deps, threadId);
    const before = await lastSyncAt();
    const thread = await deps.collections.threads.findOne({ _id: threadId });
    await deps.collections.threads.replaceOne({ _id: threadId }, hollowThread(thread!));
    expect(await lastSyncAt()).to.equal(before);
  });

  it('changes nothing when the same source comes again', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages);
    await build(deps, threadId);
    const before = await itemOf(threadId);
    expect(await record(deps, source, messages)).to.include({ isChanged: false });
    expect(await markOf(threadId)).to.equal(null);
    await build(deps, threadId);
    expect(await itemOf(threadId)).to.deep.equal(before);
  });

  it('gives the same result when it runs ten times at once', async () => {
    const { source, threadId, messages } = aConversation();
    await Promise.all(
      Array.from({ length: 10 }, () =>
        record(deps, source, messages).then(() => build(deps, threadId)),
      ),
    );
    expect(await markOf(threadId)).to.equal(null);
    expect((await detail(threadId))?.messageCount).to.equal(3);
    expect(await deps.collections.contributions.countDocuments({ threadId, messages: 1 })).to.equal(
      3,
    );
  });

  it('lets the later export win, whichever is imported first', async () => {
    const { source, threadId, messages } = aConversation({
      asOf: 5_000,
      thread: { title: 'New title' },
    });
    const older = { ...source, asOf: 4_000, thread: { ...source.thread, title: 'Old title' } };
    const first = messages[0]!;
    await record(deps, source, [{ ...first, content: 'edited', asOf: 5_000 }]);
    await record(deps, older, [
      { ...first, content: 'as first said', asOf: 4_000 },
      ...messages.slice(1),
    ]);
    await build(deps, threadId);
    const body = await detail(threadId);
    expect(body?.title).to.equal('New title');
    expect(body?.messages.map(({ content }) => content)).to.deep.equal([
      'edited',
      'With **npm start**',
      'I am a bot',
    ]);
  });

  it('loses no change that comes while a thread is being built', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages.slice(0, 1));
    const [mark] = await claimMarks(deps, [(await markOf(threadId))!]);
    await record(deps, source, messages.slice(1));
    await runClaimed(deps, 'thread', [mark!]);
    expect((await detail(threadId))?.messageCount).to.equal(3);
    expect(await markOf(threadId)).to.not.have.any.keys('claim', 'tries');
    await build(deps, threadId);
    expect(await markOf(threadId)).to.equal(null);
  });

  it('rests where a long thread has changed meanwhile, and then shows all changes at once', async () => {
    const { source, threadId, messages } = aConversation();
    const many = Array.from({ length: 1_000 }, () => ({ ...messages[1]!, _id: anId() }));
    await record(deps, source, many);
    const [mark] = await claimMarks(deps, [(await markOf(threadId))!]);
    await record(deps, source, messages.slice(0, 1));
    const began = Date.now();
    await runClaimed(deps, 'thread', [mark!]);
    const resting = (await markOf(threadId))!;
    expect(resting).to.not.have.any.keys('claim', 'tries');
    expect(resting.due.getTime()).to.be.within(began + 1_000, Date.now() + 1_000);

    await deps.collections.work.updateOne(
      { _id: resting._id },
      { $set: { due: new Date(Date.now() + 30_000) } },
    );
    await ingest(deps, { told: source, owner: 'own' }, inBatches(messages.slice(1)));
    await runDue(deps, { subject: threadId });
    expect((await markOf(threadId))?.claim).to.equal(undefined);
    expect((await detail(threadId))?.messageCount).to.equal(1_001);

    await endLeases(deps, threadId);
    await build(deps, threadId);
    expect((await detail(threadId))?.messageCount).to.equal(1_003);
    expect(await markOf(threadId)).to.equal(null);
  });

  it('is repeated when it was cut off, even if its claim is dated before the clock was set back', async () => {
    for (const due of [-1, 3_600_000]) {
      const { source, threadId, messages } = aConversation();
      await record(deps, source, messages);
      await claimMarks(deps, [(await markOf(threadId))!]);
      await prolongLeases(deps, threadId);
      await runDue(deps, { subject: threadId });
      expect(await detail(threadId)).to.equal(null);
      const end = { $set: { due: new Date(Date.now() + due) } };
      await deps.collections.work.updateOne({ subject: threadId }, end);
      await runDue(deps, { subject: threadId });
      expect((await detail(threadId))?.messageCount).to.equal(3);
    }
  });

  it('stores nothing when another worker has taken over its claim', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages.slice(0, 1));
    const late = stalled(deps, async () => {
      await record(deps, source, messages.slice(1));
      await endLeases(deps, threadId);
      await build(deps, threadId);
    });
    await build(late, threadId);
    expect((await detail(threadId))?.messageCount).to.equal(3);
    const item = (await itemOf(threadId))!;
    expect(JSON.parse(item.item)).to.include({ messageCount: 3 });
    const contributions = await deps.collections.contributions.countDocuments({ threadId });
    expect(contributions).to.equal(3);
    expect((await searchVersion('thread', threadId)).version).to.equal(item.revision);
  });

  it('sends only the search documents that have changed', async () => {
    const { source, threadId, messages } = aConversation();
    const [question, answer] = messages as [SourceMessage, SourceMessage];
    await record(deps, source, messages);
    await build(deps, threadId);
    const first = (await itemOf(threadId))!.revision;
    const rebuild = async (changed: SourceMessage, fields = {}) => {
      await record(deps, { ...source, ...fields }, [changed]);
      await build(deps, threadId);
      return (await itemOf(threadId))!.revision;
    };

    const liked = await rebuild({ ...answer, asOf: answer.asOf + 1, reactions: [] });
    expect(liked).to.be.above(first);
    expect(await versionsOf(threadId, [question, answer])).to.deep.equal([first, first, first]);

    const edited = await rebuild({ ...answer, asOf: answer.asOf + 2, content: 'With yarn' });
    expect(await versionsOf(threadId, [question, answer])).to.deep.equal([edited, first, edited]);

    const told = { asOf: source.asOf + 1, thread: { ...source.thread, title: 'Starting' } };
    const renamed = await rebuild({ ...answer, asOf: answer.asOf + 3, content: 'So' }, told);
    const all = [renamed, renamed, renamed];
    expect(await versionsOf(threadId, [question, answer])).to.deep.equal(all);
  });

  it('has similar threads looked for only where search documents have changed', async () => {
    const { source, threadId, messages } = aConversation();
    const [question, answer] = messages as [SourceMessage, SourceMessage];
    const deleted = aSourceMessage({ threadId });
    await record(deps, source, [...messages, deleted]);
    await recordMessageDeletions(deps, { threadId }, [deleted._id]);
    const isLookedFor = async () => {
      await build(deps, threadId);
      const { deletedCount } = await deps.collections.work.deleteMany({ kind: 'similar' });
      return deletedCount > 0;
    };
    expect(await isLookedFor()).to.equal(true);
    await record(deps, source, [{ ...answer, asOf: answer.asOf + 1, content: 'With yarn' }]);
    expect(await isLookedFor()).to.equal(true);
    await record(deps, source, [{ ...question, asOf: question.asOf + 1, pinned: true }]);
    expect(await isLookedFor()).to.equal(false);
  });

  it("marks only the people whose part has changed, or all where the thread's line has", async () => {
    // Other tests leave marks that another worker holds.
    await deps.collections.work.deleteMany({});
    const { source, threadId, messages } = aConversation();
    const [question, answer] = messages as [SourceMessage, SourceMessage];
    const [ada, grace, helper] = messages.map(({ author }) => `person/${author.id}`);
    await record(deps, source, messages);
    await build(deps, threadId);
    const marked = async (changed: SourceMessage, marking = {}) => {
      await doAll(deps);
      await record(deps, source, [changed]);
      await deps.collections.work.updateOne({ _id: `thread/${threadId}` }, { $set: marking });
      await build(deps, threadId);
      const marks = await deps.collections.work.find({}).toArray();
      return marks.map(({ _id }) => _id).filter((id) => !id.startsWith('server/'));
    };
    const [lists, similar] = [`lists/${threadId}`, `similar/${threadId}`];

    const liked = { ...answer, asOf: answer.asOf + 1, reactions: [] };
    expect(await marked(liked)).to.have.members([grace, lists]);
    const edited = { ...question, asOf: question.asOf + 2, content: 'How do I begin?' };
    expect(await marked(edited)).to.have.members([ada, grace, helper, lists, similar]);
    // Whoever doubts the stored views has all people marked.
    const unliked = { ...liked, asOf: answer.asOf + 3, reactions: answer.reactions };
    expect(await marked(unliked, { whole: true })).to.include.members([
      ada,
      grace,
      helper,
      similar,
    ]);
  });

  /** A built thread whose answer has changed since. */
  const anAnswerToBeBuilt = async () => {
    const { source, threadId, messages } = aConversation();
    const [, answer] = messages as [SourceMessage, SourceMessage];
    const say = (content: string, later: number) =>
      record(deps, source, [{ ...answer, content, asOf: answer.asOf + later }]);
    await record(deps, source, messages);
    await build(deps, threadId);
    await say('Something else', 1);
    return { threadId, answer, say };
  };

  it('sends all search documents after a build that did not end', async () => {
    const { threadId, answer, say } = await anAnswerToBeBuilt();
    // What this build sends arrives after what the other build has sent, but is older.
    const late = stalled(deps, async () => {
      await say(answer.content, 2);
      await endLeases(deps, threadId);
      await build(deps, threadId);
    });
    await build(late, threadId);
    const { revision } = (await itemOf(threadId))!;
    expect(await versionsOf(threadId, [answer])).to.deep.equal([revision, revision]);
  });

  it('sends nothing when its claim had ended before it began', async () => {
    const { threadId, answer, say } = await anAnswerToBeBuilt();
    const late = await claimMarks(deps, [(await markOf(threadId))!]);
    await endLeases(deps, threadId);
    await build(deps, threadId);
    // The late build takes the newest version, and reads an answer that is changed back before the next build.
    await say('With nothing', 2);
    await runClaimed(deps, 'thread', late);
    await say('Something else', 3);
    await build(deps, threadId);
    const { content } = await searchedMessage(answer._id);
    expect(content).to.equal('Something else');
  });

  it('takes nothing out of search when its claim had ended before', async () => {
    const { threadId, answer } = await anAnswerToBeBuilt();
    const late = await claimMarks(deps, [(await markOf(threadId))!]);
    await endLeases(deps, threadId);
    await build(deps, threadId);
    await takeOut(deps, late[0]!);
    expect(await searchedMessage(answer._id)).to.include({ kind: 'message' });
  });

  it('sends all search documents after a build that failed', async () => {
    const { threadId, answer, say } = await anAnswerToBeBuilt();
    const write: IndexerDeps['search']['write'] = async (...sent) => {
      await deps.search.write(...sent);
      throw new Error('It breaks');
    };
    const broken = { ...deps, search: { ...deps.search, write } };
    expect(await runDue(broken, { subject: threadId }).catch(String)).to.include('It breaks');
    await say(answer.content, 2);
    await build(deps, threadId);
    const { revision } = (await itemOf(threadId))!;
    expect(await versionsOf(threadId, [answer])).to.deep.equal([revision, revision]);
  });

  it('sends all search documents while another index is being filled', async () => {
    const { source, threadId, messages } = aConversation();
    const [question, answer] = messages as [SourceMessage, SourceMessage];
    await record(deps, source, messages);
    await build(deps, threadId);
    const index = (await liveIndex(deps))!;
    await deps.elasticsearch.indices.putAlias({ index, name: writesAlias(index) });
    const search = stateOf(deps.collections.state, 'search');
    const writeTo = (targets: string[]) =>
      search.updateOne({ _id: 'search' }, { $set: { targets } }, { upsert: true });
    await writeTo([index]);
    await record(deps, source, [{ ...answer, asOf: answer.asOf + 1, reactions: [] }]);
    await build(deps, threadId);
    await writeTo([]);
    const { revision } = (await itemOf(threadId))!;
    const all = [revision, revision, revision];
    expect(await versionsOf(threadId, [question, answer])).to.deep.equal(all);
  });

  it('removes no mark that another worker holds', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages);
    const late = stalled(deps, async () => {
      await endLeases(deps, threadId);
      await claimMarks(deps, [(await markOf(threadId))!]);
    });
    const claimed = await claimMarks(deps, [(await markOf(threadId))!]);
    await runClaimed(late, 'thread', claimed);
    expect((await markOf(threadId))?.claim)
      .to.be.a('string')
      .and.not.equal(claimed[0]!.claim);
    expect(await detail(threadId)).to.equal(null);
  });

  it('removes no mark that another worker has taken over since the views were stored', async () => {
    const [target, linking] = [aConversation(), aConversation()];
    const { source, threadId, messages } = linking;
    await record(deps, source, [{ ...messages[0]!, content: `See <#${target.threadId}>` }]);
    const claimed = await claimMarks(deps, [(await markOf(threadId))!]);
    const { work } = deps.collections;
    let isTaken = false;
    const commit = (async (change) => {
      const made = await deps.commit(change);
      // A change that only renews the claim may come before the views are stored.
      if (!isTaken && (await itemOf(threadId)) !== null) {
        isTaken = true;
        await work.updateOne({ subject: threadId }, { $set: { claim: 'another' } });
      }
      return made;
    }) as Commit;
    await runClaimed({ ...deps, commit }, 'thread', claimed);
    expect(await detail(threadId)).to.not.equal(null);
    expect(isTaken).to.equal(true);
    expect(await markOf(threadId)).to.include({ claim: 'another' });
  });

  it('does not bring back a thread that was deleted meanwhile', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages);
    const late = stalled(deps, async () => {
      await endLeases(deps, threadId);
      await deleteThread(deps, { threadId });
    });
    await build(late, threadId);
    expect(await detail(threadId)).to.equal(null);
    expect(await itemOf(threadId)).to.equal(null);
    expect((await searchVersion('thread', threadId)).kind).to.equal('tombstone');
  });

  it('removes from search a message that was deleted after the build had read it', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages);
    const { _id } = messages[1]!;
    const late = stalled(deps, async () => {
      await deps.collections.messages.updateOne({ _id }, { $set: REDACTED });
      await setMarks(deps, 'thread', [threadId]);
    });
    await build(late, threadId);
    await doAll(deps);
    await stores.refreshSearch();
    const found = await stores.elasticsearch.get<{ kind: string }>({
      index: searchAlias(stores.mongo.namespace),
      id: documentId('message', _id),
    });
    expect(found._source?.kind).to.equal('tombstone');
  });

  it('does not list a thread without messages, and removes one whose messages were all deleted', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages.slice(3));
    await build(deps, threadId);
    expect(await detail(threadId)).to.equal(null);
    expect(await itemOf(threadId)).to.equal(null);

    await record(deps, source, messages.slice(0, 1));
    await build(deps, threadId);
    expect((await detail(threadId))?.messageCount).to.equal(1);

    await deleteMessage(deps, { messageId: threadId });
    expect(await detail(threadId)).to.equal(null);
    expect((await searchVersion('thread', threadId)).kind).to.equal('tombstone');
    expect((await searchVersion('message', threadId)).kind).to.equal('tombstone');
    expect(await deps.collections.contributions.countDocuments({ threadId })).to.equal(0);
  });

  it('announces at once that it has removed a thread, and on which servers somebody is counted no more', async () => {
    await deps.collections.work.deleteMany({});
    const { source, threadId, messages } = aConversation();
    const { serverId, channelId } = source.thread;
    const author = anAuthor(`left-${threadId}`);
    await record(deps, source, [{ ...messages[0]!, author }]);
    await build(deps, threadId);
    await doAll(deps);
    const told: Partial<Announcement>[] = [];
    const announcer = {
      ...deps.announcer,
      announce: (change: Partial<Announcement>) => told.push(change),
    };
    await deps.collections.messages.updateMany({ threadId }, { $set: { deleted: true } });
    await setMarks(deps, 'thread', [threadId]);
    await build({ ...deps, announcer }, threadId);
    expect(told.splice(0)).to.deep.equal([{ threads: [{ threadId, serverId, channelId }] }]);
    await runDue({ ...deps, announcer }, { subject: author.id }, ['person']);
    expect(told).to.deep.equal([{ users: [author.id], servers: [serverId] }]);
  });

  describe('names as the author of a thread', () => {
    const [ada, grace] = [anAuthor('ada'), anAuthor('grace')];

    /** The author of a thread in which these messages were said. */
    async function authorOf(thread: { _id: string; ownerId?: string }, said: SourceMessage[]) {
      await record(deps, aSourceThread({ thread }), said);
      await build(deps, thread._id);
      return (await detail(thread._id))!.author;
    }
    const say = (threadId: string, author: AuthorSnapshot, fields: Partial<SourceMessage> = {}) =>
      aSourceMessage({ threadId, author, ...fields });

    it('who wrote the starter message, also where another message is dated before it', async () => {
      const _id = anId();
      const early = say(_id, grace, { createdAt: new Date('2020-01-01T00:00:00Z') });
      expect(await authorOf({ _id }, [say(_id, ada, { _id }), early])).to.include({ id: ada.id });
    });

    it('the owner, by their first message, where there is no starter message', async () => {
      const _id = anId();
      const author = await authorOf({ _id, ownerId: ada.id }, [say(_id, grace), say(_id, ada)]);
      expect(author).to.include({ id: ada.id, username: ada.username });
    });

    it('the owner as unknown, where they wrote nothing that is shown', async () => {
      const _id = anId();
      const author = await authorOf({ _id, ownerId: ada.id }, [say(_id, grace)]);
      expect(author).to.include({ id: ada.id, username: 'unknown-user' });
    });

    it('nobody, once the owner is left out of the server, also where they wrote nothing', async () => {
      const { server, channel, thread } = aSourceThread({ thread: { ownerId: ada.id } });
      // Of the second thread, no owner is recorded, so the author of its earliest message counts.
      const other = aSourceThread({ server, channel });
      await record(deps, aSourceThread({ server, channel, thread }), [say(thread._id, grace)]);
      await record(deps, other, [say(other.thread._id, ada), say(other.thread._id, grace)]);
      const threadIds = [thread._id, other.thread._id];
      for (const threadId of threadIds) await build(deps, threadId);
      await leaveOut(deps, server._id, ada.id);
      await setMarks(deps, 'member', [memberId(server._id, ada.id)]);
      await runDue(deps, {}, ['member']);
      for (const threadId of threadIds) {
        await build(deps, threadId);
        expect((await detail(threadId))?.author).to.include({ id: ERASED_ID });
      }
    });

    it('who wrote first, where the owner is not known either', async () => {
      const _id = anId();
      const author = await authorOf({ _id }, [say(_id, grace), say(_id, ada)]);
      expect(author).to.include({ id: grace.id });
    });

    it('nobody, once the message of who wrote first is deleted, where the owner is not known either', async () => {
      const _id = anId();
      const first = say(_id, grace);
      await authorOf({ _id }, [first, say(_id, ada)]);
      await deleteMessage(deps, { messageId: first._id });
      expect(await detail(_id)).to.include({ messageCount: 1 });
      expect((await detail(_id))?.author).to.include({ id: ERASED_ID });
    });
  });

  it('shows a link to a thread by its title as soon as that is in the archive, and follows its title', async () => {
    const target = aConversation({ thread: { title: 'Target' } });
    const linking = aConversation();
    const url = `https://discord.com/channels/${target.source.server._id}/${target.threadId}`;
    await record(deps, linking.source, [
      { ...linking.messages[0]!, content: `See ${url} and <#${target.threadId}>` },
    ]);
    await build(deps, linking.threadId);
    expect((await detail(linking.threadId))?.messages[0]?.contentHtml).to.not.contain(
      '/api/threads/',
    );

    await record(deps, target.source, target.messages);
    await build(deps, target.threadId);
    await doAll(deps);
    const html = (await detail(linking.threadId))?.messages[0]?.contentHtml;
    expect(html).to.contain(`/api/threads/${target.threadId}`).and.to.contain('Target');
  });

  it('shows a link to a thread by its title even if that appeared during the build', async () => {
    const target = aConversation({ thread: { title: 'Appearing' } });
    const linking = aConversation();
    await record(deps, linking.source, [
      { ...linking.messages[0]!, content: `See <#${target.threadId}>` },
    ]);
    const late = stalled(deps, async () => {
      await record(deps, target.source, target.messages);
      await build(deps, target.threadId);
      await runDue(deps, { kind: 'links', subject: target.threadId });
    });
    await build(late, linking.threadId);
    const html = (await detail(linking.threadId))?.messages[0]?.contentHtml;
    expect(html).to.contain('Appearing');
  });

  it("shows a thread's link to itself by its present title from the first build on", async () => {
    const { source, threadId, messages } = aConversation();
    for (const [asOf, title] of [
      [1_000, 'First'],
      [2_000, 'Second'],
    ] as const) {
      const later = { ...source, asOf, thread: { ...source.thread, title } };
      await record(deps, later, [{ ...messages[0]!, content: `See <#${threadId}>`, asOf }]);
      await build(deps, threadId);
      const html = (await detail(threadId))?.messages[0]?.contentHtml;
      expect(html).to.contain(`/api/threads/${threadId}`).and.to.contain(title);
    }
  });

  it('passes a new title on even if its first build failed half-way', async () => {
    const target = aConversation({ thread: { title: 'Half' } });
    const linking = aConversation();
    await record(deps, linking.source, [
      { ...linking.messages[0]!, content: `See <#${target.threadId}>` },
    ]);
    await build(deps, linking.threadId);
    await record(deps, target.source, target.messages);
    const isAway = (documents: unknown[]) =>
      documents.length > 0
        ? Promise.reject(new SearchUnavailable('The index is away'))
        : Promise.resolve();
    const failing = { ...deps.search, write: isAway };
    const failed = build({ ...deps, search: failing }, target.threadId);
    expect(await failed.catch((error: unknown) => (error as Error).message)).to.equal(
      'The index is away',
    );
    await build(deps, target.threadId);
    await doAll(deps);
    expect((await detail(linking.threadId))?.messages[0]?.contentHtml).to.contain('Half');
  });

  it('stores a very long thread in pieces that make the same body', async () => {
    const { source, threadId, messages } = aConversation();
    const many = Array.from({ length: 1_500 }, (_, n) => ({
      ...messages[1]!,
      _id: anId(),
      content: noise(n, 1_500),
    }));
    await ingest(deps, { told: source }, inBatches(many, 1_000));
    await build(deps, threadId);
    expect(
      (await deps.collections.bodies.findOne({ _id: `thread/${threadId}` }))?.chunks,
    ).to.be.greaterThan(1);
    const body = await detail(threadId);
    expect(body?.messages.map(({ content }) => content)).to.deep.equal(
      many.map(({ content }) => content),
    );
  });

  it('names people as in their last message, even if an older one is told later', async () => {
    const { source, threadId } = aConversation();
    const [before, after] = ['Grace', 'Grace H.'].map((username) =>
      aSourceMessage({ threadId, author: { ...anAuthor('grace'), username } }),
    );
    await record(deps, source, [before!, after!]);
    await doAll(deps);
    await record(deps, { ...source, asOf: 9 }, [{ ...before!, asOf: 9 }]);
    await setMarks(deps, 'thread', [threadId]);
    await doAll(deps);
    const list = await readBody<ParticipantList>(deps.collections, `participants/${threadId}`);
    expect(list?.participants.map(({ username }) => username)).to.deep.equal(['Grace H.']);
  });

  it('gives links to files of its own once the platform itself has told of the files', async () => {
    const { source, threadId } = aConversation();
    const message = aSourceMessage({ threadId, attachments: [aFile(CDN, threadId)] });
    const links = async () =>
      (await detail(threadId))?.messages[0]?.attachments.map(({ url }) => url);
    await record(deps, source, [message]);
    await doAll(deps);
    expect(await links()).to.deep.equal(message.attachments.map(({ url }) => url));
    await record(deps, { ...source, asOf: LIVE }, [{ ...message, asOf: LIVE }]);
    await doAll(deps);
    const own = `https://archive.example/attachments/${message._id}/${message.attachments[0]!.id}`;
    expect(await links()).to.deep.equal([own]);
  });

  it('shows no time of an earlier lock after the platform has told that it was unlocked', async () => {
    const { source, threadId, messages } = aConversation();
    const lockedAt = new Date('2026-03-01T00:00:00.000Z');
    const exported = { ...source, thread: { ...source.thread, locked: true, lockedAt } };
    const told = (locked: boolean, asOf: number) => ({
      ...source,
      asOf,
      thread: { ...source.thread, locked },
    });
    const shown = async () => {
      await doAll(deps);
      return (await detail(threadId))?.lockedAt;
    };
    await record(deps, exported, messages);
    await record(deps, told(true, LIVE));
    expect(await shown()).to.equal(lockedAt.toISOString());
    await record(deps, told(false, LIVE + 1));
    await record(deps, { ...exported, asOf: source.asOf + 1 });
    await record(deps, told(true, LIVE + 2));
    expect(await shown()).to.equal(null);
  });

  it('refuses a message that belongs to another thread, and a thread that moves', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages);
    const other = aConversation();
    const stolen = record(deps, other.source, [
      { ...messages[0]!, threadId: other.threadId, asOf: 9 },
    ]);
    expect(await stolen.catch((error: unknown) => error)).to.be.instanceOf(SourceConflict);
    const thread = { ...source.thread, serverId: anId() };
    const moved = record(deps, { ...source, thread });
    expect(await moved.catch((error: unknown) => error)).to.be.instanceOf(SourceConflict);
    expect((await detail(threadId)) === null).to.equal(true);
  });
});
