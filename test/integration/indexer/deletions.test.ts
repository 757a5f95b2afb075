import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { ServerStats } from '../../../shared/contract/servers.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { fileDeletion } from '../../../shared/jobs/fileDeletion.js';
import type { Producer } from '../../../shared/jobs/producer.js';
import type { DeletionKind } from '../../../shared/store/deletionRecord.js';
import { createHandlers } from '../../../services/indexer/handlers.js';
import { ingest } from '../../../services/indexer/ingest/ingest.js';
import { deleteMessage } from '../../../services/indexer/jobs/deleteMessage.js';
import { deleteChannel, deleteServer } from '../../../services/indexer/jobs/deletePlaces.js';
import { deleteThread, recordThreadDeletion } from '../../../services/indexer/jobs/deleteThread.js';
import { refileLost } from '../../../shared/jobs/refileLost.js';
import { DeletedPlace } from '../../../services/indexer/ingest/source.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { setMarks } from '../../../services/indexer/work/claims.js';
import { runDue } from '../../../services/indexer/work/runMarks.js';
import {
  aMessage,
  aSourceMessage,
  aSourceThread,
  aThread,
  anAuthor,
  anId,
} from '../../support/factories.js';
import { anotherProcess, build, doAll, inBatches, record } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { bringToRest, verifyNow } from '../../support/verifiedArchive.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('deletions', () => {
  const { stores, deps } = indexerSuite('emptied');

  /** Two built threads of one channel. Each has one message by Ada and one by Grace. */
  async function aPlace() {
    const place = { server: { _id: anId() }, channel: { _id: anId() } };
    const sources = [0, 1].map((n) =>
      aSourceThread({ ...place, thread: { title: `Quokka title ${n}` } }),
    );
    const said = sources.map(({ thread }) => [
      aSourceMessage({ _id: thread._id, threadId: thread._id, content: 'quokka question' }),
      aSourceMessage({
        threadId: thread._id,
        content: 'quokka answer',
        author: anAuthor('grace'),
      }),
    ]);
    for (const [n, source] of sources.entries()) {
      await record(deps, source, said[n]);
      await build(deps, source.thread._id);
    }
    await doAll(deps);
    return { serverId: place.server._id, channelId: place.channel._id, sources, said };
  }
  const found = async (serverId: string) => {
    const { hits } = await stores.elasticsearch.search({
      index: searchAlias(stores.mongo.namespace),
      query: { bool: { filter: [{ term: { serverId } }] } },
    });
    return hits.hits.length;
  };
  const stats = (serverId: string) => readBody<ServerStats>(deps.collections, `stats/${serverId}`);
  const wordsOf = async (threadId: string) =>
    JSON.stringify([
      await deps.collections.messages.find({ threadId }).toArray(),
      await deps.collections.threads.findOne({ _id: threadId }),
      await deps.collections.threadItems.findOne({ _id: threadId }),
    ]);

  it('removes a message from search that a later source turns into a notice', async () => {
    const { serverId, sources, said } = await aPlace();
    const [source, [, answer]] = [sources[0]!, said[0]!];
    const notice = { ...answer!, type: 4, counted: false, asOf: 2_000 };
    await record(deps, { ...source, asOf: 2_000 }, [notice]);
    await bringToRest(deps, stores);
    await stores.refreshSearch();
    expect(await found(serverId)).to.equal(5);
    expect((await verifyNow(deps)).differences).to.deep.equal([]);

    await deleteThread(deps, { threadId: source.thread._id });
    expect(await found(serverId)).to.equal(3);
  });

  it('of a message lasts where its record is removed while it is being deleted', async () => {
    const { sources, said } = await aPlace();
    const [source, answer] = [sources[0]!, said[0]![1]!];
    const { messages } = deps.collections;
    let isFirst = true;
    const commit: typeof deps.commit = async (change) => {
      if (isFirst) await messages.deleteOne({ _id: answer._id });
      isFirst = false;
      return deps.commit(change);
    };
    await deleteMessage({ ...deps, commit }, { messageId: answer._id });
    await record(deps, source, [{ ...answer, asOf: 2_000 }]);
    expect(await messages.findOne({ _id: answer._id })).to.include({ content: '', deleted: true });
  });

  it('is done only when the thread is in no view and not in search', async () => {
    const { serverId, sources } = await aPlace();
    const threadId = sources[0]!.thread._id;
    const told: unknown[] = [];
    const announceNow: typeof deps.announcer.announceNow = (change) => {
      told.push(change);
      return deps.announcer.announceNow(change);
    };
    const telling = { ...deps, announcer: { ...deps.announcer, announceNow } };
    expect(await deleteThread(telling, { threadId })).to.deep.equal({ threads: 1, messages: 2 });

    expect(await readBody(deps.collections, `thread/${threadId}`)).to.equal(null);
    expect(await found(serverId)).to.equal(3);
    expect((await stats(serverId))?.stats).to.deep.include({
      messages: { total: 2, byHumans: 2, byBots: 0, avgPerThread: 2 },
    });
    expect(await wordsOf(threadId)).to.not.match(/quokka/i);
    // The API processes drop what they keep of the server's statistics.
    expect(told).to.deep.equal([{ statistics: [serverId], users: [] }]);
  });

  /** Builds a thread of another server that links to some ids. Returns a function that reads what is shown of it. */
  async function aLinking(...ids: string[]) {
    const source = aSourceThread();
    const threadId = source.thread._id;
    const content = ids.map((id) => `<#${id}>`).join(' ');
    await record(deps, source, [aSourceMessage({ _id: threadId, threadId, content })]);
    await build(deps, threadId);
    return async () => {
      const body = await readBody<ThreadDetail>(deps.collections, `thread/${threadId}`);
      return body!.messages[0]!.contentHtml;
    };
  }

  /** Withholds a channel, or ends that, and builds the threads that show it. */
  async function withhold(channelId: string, isWithheld: boolean) {
    const { channels } = deps.collections;
    const change = isWithheld
      ? { $set: { withheldAt: new Date() } }
      : { $unset: { withheldAt: '' as const } };
    await channels.updateOne({ _id: channelId }, change);
    await setMarks(deps, 'channel', [channelId]);
    while ((await runDue(deps, {}, ['channel', 'links', 'thread'])) === true);
  }

  it('takes the titles of withheld and deleted threads and channels out of threads that link to them', async () => {
    const { channelId, sources } = await aPlace();
    const ids = sources.map(({ thread }) => thread._id);
    const titles = await aLinking(...ids);
    const name = await aLinking(channelId);
    expect(await titles()).to.match(/#Quokka title 0.*#Quokka title 1/);
    expect(await name()).to.include('#help');
    await withhold(channelId, true);
    expect(await name()).to.not.include('#help');
    await withhold(channelId, false);
    expect(await name()).to.include('#help');
    await deleteThread(deps, { threadId: ids[0]! });
    expect(await titles()).to.match(/#unknown-channel.*#Quokka title 1/);
    await deleteChannel(deps, { channelId }, REPORT_NOBODY);
    expect(await titles()).to.not.match(/quokka/i);
    expect(await name()).to.not.include('#help');

    const other = await aPlace();
    const both = await aLinking(other.channelId, other.sources[0]!.thread._id);
    expect(await both()).to.match(/#help.*#Quokka title 0/);
    await deleteServer(deps, { serverId: other.serverId }, REPORT_NOBODY);
    expect(await both()).to.not.match(/quokka|#help/i);
  });

  it('names nobody in the tombstone of a thread whose starter message is deleted next', async () => {
    const { sources } = await aPlace();
    const threadId = sources[0]!.thread._id;
    // The thread is not built yet, so its messages are still recorded.
    await recordThreadDeletion(deps, threadId);
    expect(await deleteMessage(deps, { messageId: threadId })).to.deep.equal({ messages: 1 });
    const thread = await deps.collections.threads.findOne({ _id: threadId });
    expect(thread).to.include({ deleted: true }).and.not.have.property('ownerId');
  });

  it('brings nothing back when the thread is imported again', async () => {
    const { sources, said } = await aPlace();
    const { thread } = sources[0]!;
    await deleteThread(deps, { threadId: thread._id });
    const later = { ...sources[0]!, asOf: 9_000 };
    const again = await record(deps, later, [
      ...said[0]!.map((message) => ({ ...message, asOf: 9_000 })),
      aSourceMessage({ threadId: thread._id, content: 'quokka afterthought', asOf: 9_000 }),
    ]);
    expect(again).to.deep.equal({ isChanged: false, isDeleted: true });
    await build(deps, thread._id);
    expect(await wordsOf(thread._id)).to.not.match(/quokka/i);
    expect(await readBody(deps.collections, `thread/${thread._id}`)).to.equal(null);
  });

  const another = () => anotherProcess(deps, stores);

  it('leaves a thread deleted while it is being imported', async () => {
    const { sources, said } = await aPlace();
    const { thread } = sources[0]!;
    const late = aSourceMessage({ threadId: thread._id, content: 'quokka latecomer', asOf: 5_000 });
    // The whole deletion runs between two batches of the import.
    async function* batches() {
      yield said[0]!;
      await deleteThread(deps, { threadId: thread._id });
      yield [late];
    }
    const told = { ...sources[0]!, asOf: 5_000 };
    expect(await ingest(another(), { told }, batches())).to.include({ isDeleted: true });
    await build(deps, thread._id);
    expect(await deps.collections.messages.findOne({ _id: late._id })).to.equal(null);
    expect(await wordsOf(thread._id)).to.not.match(/quokka/i);
    expect(await readBody(deps.collections, `thread/${thread._id}`)).to.equal(null);
  });

  it('leaves nothing of what is imported at the same time', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { serverId, channelId, sources } = await aPlace();
      const told = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
      const threadIds = [sources[0]!.thread._id, told.thread._id];
      const late = threadIds.map((threadId) =>
        Array.from({ length: 6 }, () =>
          aSourceMessage({ threadId, content: 'quokka', asOf: 5_000 }),
        ),
      );
      const first = ingest(another(), { told: sources[0]! }, inBatches(late[0]!, 2));
      const second = ingest(another(), { told }, inBatches(late[1]!, 2));
      const removal =
        round === 0
          ? deleteThread(deps, { threadId: threadIds[0]! })
          : deleteChannel(deps, { channelId }, REPORT_NOBODY);
      await Promise.allSettled([first, second, removal]);
      await doAll(deps);
      for (const threadId of threadIds.slice(0, round === 0 ? 1 : 2)) {
        expect(await wordsOf(threadId)).to.not.match(/quokka/i);
        expect(await readBody(deps.collections, `thread/${threadId}`)).to.equal(null);
      }
    }
  });

  it('removes a message and counts again; the thread keeps its author', async () => {
    const { serverId, sources } = await aPlace();
    const threadId = sources[0]!.thread._id;
    await deleteMessage(deps, { messageId: threadId });
    const body = await readBody<{ author: { id: string }; messages: unknown[] }>(
      deps.collections,
      `thread/${threadId}`,
    );
    expect(body?.messages).to.have.length(1);
    expect(body?.author.id).to.equal(anAuthor().id);
    expect((await stats(serverId))?.stats.messages.total).to.equal(3);
    expect(await found(serverId)).to.equal(5);
  });

  it('removes a channel, and refuses later sources for it', async () => {
    const { serverId, channelId, sources } = await aPlace();
    expect(await deleteChannel(deps, { channelId }, REPORT_NOBODY)).to.deep.equal({
      threads: 2,
      messages: 4,
    });
    expect(await found(serverId)).to.equal(0);
    expect((await stats(serverId))?.stats).to.deep.include({ channels: 0 });
    expect(
      await readBody<{ channels: unknown[] }>(deps.collections, `channels/${serverId}`),
    ).to.deep.equal({ channels: [] });

    const thread = { ...sources[0]!.thread, _id: anId(), title: 'Quokka again' };
    const refused = await record(deps, { ...sources[0]!, thread }).catch((error: unknown) => error);
    expect(refused).to.be.instanceOf(DeletedPlace);
    expect((refused as Error).message).to.equal('The channel was deleted from this archive');
    expect(await wordsOf(thread._id)).to.not.match(/quokka/i);
  });

  for (const kind of ['channel', 'server'] as const) {
    it(`removes a thread that an import wrote without knowing of the deletion of its ${kind}`, async () => {
      const { serverId, channelId, sources } = await aPlace();
      const { channels, threads, messages } = deps.collections;
      const channel = (await channels.findOne({ _id: channelId }))!;
      if (kind === 'channel') await deleteChannel(deps, { channelId }, REPORT_NOBODY);
      else {
        await deleteServer(deps, { serverId }, REPORT_NOBODY);
        await channels.replaceOne({ _id: channelId }, channel);
      }
      const thread = aThread({ serverId, channelId, title: 'Quokka again' });
      const said = aMessage({ _id: thread._id, threadId: thread._id, content: 'quokka again' });
      await threads.insertOne(thread);
      await messages.insertOne(said);
      await setMarks(deps, 'thread', [thread._id]);
      await build(deps, thread._id);
      expect(await threads.findOne({ _id: thread._id })).to.include({ deleted: true, title: '' });
      expect(await wordsOf(thread._id)).to.not.match(/quokka/i);
      expect(await found(sources[0]!.server._id)).to.equal(0);
    });
  }

  it('removes a server with everything of it', async () => {
    const { serverId } = await aPlace();
    await deleteServer(deps, { serverId }, REPORT_NOBODY);
    for (const kind of ['server', 'channels', 'tags', 'stats']) {
      expect(await readBody(deps.collections, `${kind}/${serverId}`), kind).to.equal(null);
    }
    expect(await found(serverId)).to.equal(0);
    expect(await deps.collections.ranks.countDocuments({ member: { $regex: serverId } })).to.equal(
      0,
    );
    const list = await readBody<{ servers: { id: string }[] }>(deps.collections, 'servers/all');
    expect(list?.servers.map(({ id }) => id)).to.not.include(serverId);
  });

  it('ends while others change threads on the same server all the time', async () => {
    const { serverId, sources } = await aPlace();
    const [{ thread }, other] = [sources[0]!, sources[1]!];
    const over = new AbortController();
    const changing = (async () => {
      while (!over.signal.aborted) {
        await setMarks(deps, 'thread', [other.thread._id]);
        await setMarks(deps, 'server', [serverId]);
        // No mark is worked on so soon.
        await pause(10);
      }
    })();
    try {
      expect(await deleteThread(deps, { threadId: thread._id })).to.include({ threads: 1 });
      expect((await stats(serverId))?.stats).to.deep.include({
        messages: { total: 2, byHumans: 2, byBots: 0, avgPerThread: 2 },
      });
    } finally {
      over.abort();
      await changing;
    }
  });

  it('carries out a deletion that the queue has lost, and then forgets its request', async () => {
    const { sources, said } = await aPlace();
    const subjects = {
      thread: sources[0]!.thread._id,
      message: said[1]![1]!._id,
      channel: anId(),
      server: anId(),
    };
    const forgetful = { add: () => Promise.resolve('forgotten') };
    for (const [kind, subject] of Object.entries(subjects) as [DeletionKind, string][]) {
      await fileDeletion(deps.collections, forgetful, { kind, subject });
    }
    const handlers = createHandlers(deps);
    const atOnce: Pick<Producer, 'refile'> = {
      refile: async (name, payload) => {
        await handlers[name](payload);
        return '';
      },
    };
    expect(await refileLost(deps.collections, atOnce, 0)).to.equal(4);
    expect(await wordsOf(subjects.thread)).to.not.match(/quokka/i);
    const message = await deps.collections.messages.findOne({ _id: subjects.message });
    expect(message).to.include({ deleted: true, content: '' });
    expect(await deps.collections.deletions.countDocuments()).to.equal(0);
  });

  it('does nothing where there is nothing to delete', async () => {
    const nothing = { threads: 0, messages: 0 };
    expect(await deleteThread(deps, { threadId: anId() })).to.deep.equal(nothing);
    expect(await deleteMessage(deps, { messageId: anId() })).to.deep.equal({ messages: 0 });
    expect(await deleteChannel(deps, { channelId: anId() }, REPORT_NOBODY)).to.deep.equal(nothing);
    expect(await deleteServer(deps, { serverId: anId() }, REPORT_NOBODY)).to.deep.equal(nothing);
  });
});
