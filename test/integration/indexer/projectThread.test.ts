import { expect } from 'chai';
import type { ParticipantList, ThreadDetail } from '../../../shared/contract/threads.js';
import type { ServerStats } from '../../../shared/contract/servers.js';
import type { UserProfile } from '../../../shared/contract/users.js';
import { documentId, searchAlias } from '../../../shared/store/searchIndex.js';
import { applyMessages } from '../../../services/indexer/records/applyMessages.js';
import { applySource, SourceConflict } from '../../../services/indexer/records/applySource.js';
import { raiseRevision } from '../../../services/indexer/records/threadRevision.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { projectThread } from '../../../services/indexer/project/projectThread.js';
import { sweepPending } from '../../../services/indexer/project/sweep.js';
import { SearchUnavailable } from '../../../services/indexer/stores/sendBulk.js';
import { aSourceMessage, aSourceThread, anAuthor, anId } from '../../support/factories.js';
import { indexerDeps, record, refreshAll } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { until } from '../../support/apiServer.js';
import { openStores, type TestStores } from '../../support/stores.js';

/** A thread by Ada with answers by Grace and a bot. */
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

describe('projectThread', () => {
  let stores: TestStores;
  let deps: IndexerDeps;

  before(async () => {
    stores = await openStores();
    deps = indexerDeps(stores);
  });
  after(() => stores.close());

  const detail = (threadId: string) =>
    readBody<ThreadDetail>(deps.collections, `thread/${threadId}`);
  const searchVersion = async (kind: 'thread' | 'message', id: string) => {
    const found = await stores.elasticsearch.get<{ kind: string }>({
      index: searchAlias(stores.mongo.namespace),
      id: documentId(kind, id),
    });
    return { version: found._version, kind: found._source?.kind };
  };

  it('builds every view from the records and takes the mark away', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages);
    await projectThread(deps, threadId);

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
    const thread = await deps.collections.threads.findOne({ _id: threadId });
    expect(thread).to.not.have.property('pending');
    expect(await searchVersion('thread', threadId)).to.deep.equal({
      version: thread?.revision,
      kind: 'thread',
    });
    expect(await searchVersion('message', messages[1]!._id)).to.deep.equal({
      version: thread?.revision,
      kind: 'message',
    });
  });

  it('counts people, profiles and statistics', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages);
    await projectThread(deps, threadId);
    await refreshAll(deps);

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

  it('changes nothing when the same source comes again', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages);
    await projectThread(deps, threadId);
    const before = await deps.collections.threads.findOne({ _id: threadId });
    await record(deps, source, messages);
    await projectThread(deps, threadId);
    expect(await deps.collections.threads.findOne({ _id: threadId })).to.deep.equal(before);
  });

  it('gives the same result ten times at once', async () => {
    const { source, threadId, messages } = aConversation();
    await Promise.all(
      Array.from({ length: 10 }, () =>
        record(deps, source, messages).then(() => projectThread(deps, threadId)),
      ),
    );
    await sweepPending(deps, 0);
    const thread = await deps.collections.threads.findOne({ _id: threadId });
    expect(thread).to.not.have.property('pending');
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
    await projectThread(deps, threadId);
    const body = await detail(threadId);
    expect(body?.title).to.equal('New title');
    expect(body?.messages.map(({ content }) => content)).to.deep.equal([
      'edited',
      'With **npm start**',
      'I am a bot',
    ]);
  });

  it('never loses a change that comes while a thread is being built', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages.slice(0, 1));
    const building = projectThread(deps, threadId);
    await record(deps, source, messages.slice(1));
    await building;
    await sweepPending(deps, 0);
    expect((await detail(threadId))?.messageCount).to.equal(3);
  });

  it('finds a mark of before the clock was put back an hour', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages);
    const { threads } = deps.collections;
    const inAnHour = new Date(Date.now() + 3_600_000);
    await threads.updateOne({ _id: threadId }, { $set: { pendingAt: inAnHour } });
    await sweepPending(deps, 5_000);
    expect((await detail(threadId))?.messageCount).to.equal(3);
  });

  it('keeps what a newer revision stored when an older one comes late', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages.slice(0, 1));
    const late: IndexerDeps = {
      ...deps,
      search: {
        ...deps.search,
        // The older build stands still before it stores anything: meanwhile the newer one is finished.
        write: async (documents, revision) => {
          late.search = deps.search;
          await record(deps, source, messages.slice(1));
          await projectThread(deps, threadId);
          await deps.search.write(documents, revision);
        },
      },
    };
    await projectThread(late, threadId);
    expect((await detail(threadId))?.messageCount).to.equal(3);
    expect(
      JSON.parse((await deps.collections.threadItems.findOne({ _id: threadId }))!.item),
    ).to.include({ messageCount: 3 });
    const thread = await deps.collections.threads.findOne({ _id: threadId });
    expect((await searchVersion('thread', threadId)).version).to.equal(thread?.revision);
  });

  it('does not list a thread in which nothing was said, and forgets one whose messages were all deleted', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages.slice(3));
    await projectThread(deps, threadId);
    expect(await detail(threadId)).to.equal(null);
    expect((await deps.collections.threadItems.findOne({ _id: threadId }))?.scopes).to.deep.equal(
      [],
    );

    await record(deps, source, messages.slice(0, 1));
    await projectThread(deps, threadId);
    expect((await detail(threadId))?.messageCount).to.equal(1);

    await raiseRevision(deps.collections.threads, threadId);
    await deps.collections.messages.updateOne({ _id: threadId }, { $set: { deleted: true } });
    await projectThread(deps, threadId);
    expect(await detail(threadId)).to.equal(null);
    expect((await searchVersion('thread', threadId)).kind).to.equal('tombstone');
    expect((await searchVersion('message', threadId)).kind).to.equal('tombstone');
    expect(
      await deps.collections.contributions.countDocuments({ threadId, messages: { $gt: 0 } }),
    ).to.equal(0);
  });

  it('links to a thread as soon as it is in the archive, and follows its title', async () => {
    const target = aConversation({ thread: { title: 'Target' } });
    const linking = aConversation();
    const url = `https://discord.com/channels/${target.source.server._id}/${target.threadId}`;
    await record(deps, linking.source, [
      { ...linking.messages[0]!, content: `See ${url} and <#${target.threadId}>` },
    ]);
    await projectThread(deps, linking.threadId);
    expect((await detail(linking.threadId))?.messages[0]?.contentHtml).to.not.contain(
      '/api/threads/',
    );

    await record(deps, target.source, target.messages);
    await projectThread(deps, target.threadId);
    await sweepPending(deps, 0);
    const html = (await detail(linking.threadId))?.messages[0]?.contentHtml;
    expect(html).to.contain(`/api/threads/${target.threadId}`).and.to.contain('Target');
  });

  it('links to the thread itself by its present title from the first build on', async () => {
    const { source, threadId, messages } = aConversation();
    for (const [asOf, title] of [
      [1_000, 'First'],
      [2_000, 'Second'],
    ] as const) {
      const later = { ...source, asOf, thread: { ...source.thread, title } };
      await record(deps, later, [{ ...messages[0]!, content: `See <#${threadId}>`, asOf }]);
      await projectThread(deps, threadId);
      const html = (await detail(threadId))?.messages[0]?.contentHtml;
      expect(html).to.contain(`/api/threads/${threadId}`).and.to.contain(title);
    }
  });

  it('passes a new title on although its first build failed half-way', async () => {
    const target = aConversation({ thread: { title: 'Half' } });
    const linking = aConversation();
    await record(deps, linking.source, [
      { ...linking.messages[0]!, content: `See <#${target.threadId}>` },
    ]);
    await projectThread(deps, linking.threadId);
    await record(deps, target.source, target.messages);
    const isAway = (documents: unknown[]) =>
      documents.length > 0
        ? Promise.reject(new SearchUnavailable('The index is away'))
        : Promise.resolve();
    const failing = { ...deps.search, write: isAway };
    const failed = projectThread({ ...deps, search: failing }, target.threadId);
    expect(await failed.catch((error: unknown) => (error as Error).message)).to.equal(
      'The index is away',
    );
    await until(
      async () =>
        (await deps.collections.threadItems.countDocuments({ _id: target.threadId })) === 1,
    );
    await projectThread(deps, target.threadId);
    await sweepPending(deps, 0);
    expect((await detail(linking.threadId))?.messages[0]?.contentHtml).to.contain('Half');
  });

  it('stores a very long thread in pieces that make the same body', async () => {
    const { source, threadId, messages } = aConversation();
    const noise = (n: number) =>
      Array.from({ length: 60 }, (_, i) =>
        ((n * 7919 + i * 104_729) % 2_147_483_647).toString(36),
      ).join(' ');
    const many = Array.from({ length: 9_000 }, (_, n) => ({
      ...messages[1]!,
      _id: anId(),
      content: noise(n),
    }));
    await applySource(deps.collections, source);
    for (let at = 0; at < many.length; at += 1_000)
      await applyMessages(deps.collections, threadId, many.slice(at, at + 1_000));
    await projectThread(deps, threadId);
    expect(
      (await deps.collections.bodies.findOne({ _id: `thread/${threadId}` }))?.chunks,
    ).to.be.greaterThan(1);
    const body = await detail(threadId);
    expect(body?.messages.map(({ content }) => content)).to.deep.equal(
      many.map(({ content }) => content),
    );
  });

  it('refuses a message that belongs to another thread, and a thread that moves', async () => {
    const { source, threadId, messages } = aConversation();
    await record(deps, source, messages);
    const other = aConversation();
    await applySource(deps.collections, other.source);
    const stolen = applyMessages(deps.collections, other.threadId, [
      { ...messages[0]!, threadId: other.threadId, asOf: 9 },
    ]);
    expect(await stolen.catch((error: unknown) => error)).to.be.instanceOf(SourceConflict);
    const moved = applySource(deps.collections, {
      ...source,
      thread: { ...source.thread, serverId: anId() },
    });
    expect(await moved.catch((error: unknown) => error)).to.be.instanceOf(SourceConflict);
    expect((await detail(threadId)) === null).to.equal(true);
  });
});
