import { expect } from 'chai';
import type { Collection } from 'mongodb';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { deleteMessage } from '../../../services/indexer/jobs/deleteMessage.js';
import { projectThread } from '../../../services/indexer/project/projectThread.js';
import {
  markAgedMembers,
  refreshMembers,
} from '../../../services/indexer/project/refreshMembers.js';
import { refreshThreads } from '../../../services/indexer/project/refreshThreads.js';
import { sweepPending } from '../../../services/indexer/project/sweep.js';
import { applyMessages } from '../../../services/indexer/records/applyMessages.js';
import { applySource } from '../../../services/indexer/records/applySource.js';
import { REDACTED } from '../../../services/indexer/records/tombstones.js';
import { clearMarks, dirtyServer, markDirty } from '../../../services/indexer/stores/dirtyMarks.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { collectionsOf } from '../../../shared/store/collections.js';
import { aSourceMessage, aSourceThread, anAuthor } from '../../support/factories.js';
import { indexerDeps, record, refreshAll } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { openStores, type TestStores } from '../../support/stores.js';

describe('the safeguards of records', () => {
  let stores: TestStores;
  let deps: IndexerDeps;

  before(async () => {
    stores = await openStores();
    deps = indexerDeps(stores);
  });
  after(() => stores.close());

  async function builtThread() {
    const source = aSourceThread({ asOf: 1_000 });
    const threadId = source.thread._id;
    const message = aSourceMessage({ _id: threadId, threadId, content: 'first', asOf: 1_000 });
    await record(deps, source, [message]);
    await projectThread(deps, threadId);
    return { threadId, message, later: { ...message, content: 'later', asOf: 2_000 } };
  }
  const contents = async (threadId: string) =>
    (await readBody<ThreadDetail>(deps.collections, `thread/${threadId}`))?.messages.map(
      ({ content }) => content,
    );

  it('leave a mark with messages whose job goes no further', async () => {
    const { threadId, later } = await builtThread();
    await applyMessages(deps.collections, threadId, [later]);
    await sweepPending(deps, 0);
    expect(await contents(threadId)).to.deep.equal(['later']);
  });

  it('take nothing of a source for a message that was deleted, nor call that a change', async () => {
    const { threadId, message, later } = await builtThread();
    const { messages } = deps.collections;
    await messages.updateOne({ _id: message._id }, { $set: REDACTED });
    expect(await applyMessages(deps.collections, threadId, [later])).to.equal(false);
    expect((await messages.findOne({ _id: message._id }))?.content).to.equal('');
  });

  it('take nothing for a message that is deleted between reading and writing it', async () => {
    const { threadId, message, later } = await builtThread();
    const { messages } = deps.collections;
    const racing = beforeCalls(messages, 'bulkWrite', () =>
      messages.updateOne({ _id: message._id }, { $set: REDACTED }),
    );
    await applyMessages({ ...deps.collections, messages: racing }, threadId, [later]);
    expect((await messages.findOne({ _id: message._id }))?.content).to.equal('');
  });

  it('keep a mark for counting that was set again while it was counted', async () => {
    const { dirty } = deps.collections;
    const id = dirtyServer('safeguards');
    await markDirty(dirty, [id]);
    const counting = await dirty.find({ _id: id }).toArray();
    await markDirty(dirty, [id]);
    await clearMarks(dirty, counting);
    expect(await dirty.countDocuments({ _id: id })).to.equal(1);
    await clearMarks(dirty, await dirty.find({ _id: id }).toArray());
    expect(await dirty.countDocuments({ _id: id })).to.equal(0);
  });

  it('bring nobody back whom another process counted while it was held up', async () => {
    const { collections } = deps;
    const author = anAuthor('passerby');
    const source = aSourceThread();
    const threadId = source.thread._id;
    const said = aSourceMessage({ threadId, author });
    await record(deps, source, [aSourceMessage({ _id: threadId, threadId }), said]);
    await projectThread(deps, threadId);
    await refreshThreads(deps);
    const own = { userId: author.id };
    let counted = -1;
    const slow = beforeCalls(collections.members, 'bulkWrite', async () => {
      await deleteMessage(deps, { messageId: said._id });
      counted = await collections.members.countDocuments(own);
    });
    await refreshMembers({ ...deps, collections: { ...collections, members: slow } }, new Date());
    expect(counted).to.equal(0);
    await refreshAll(deps);
    const member = `${source.server._id}/${author.id}`;
    expect(await collections.members.countDocuments(own)).to.equal(0);
    expect(await collections.ranks.countDocuments({ member })).to.equal(0);
    expect(await readBody(collections, `user/${author.id}`)).to.equal(null);
  });

  it('bring onto leaderboards who was counted on the day before they wrote', async () => {
    const { collections } = deps;
    const today = new Date();
    const author = anAuthor('early');
    const source = aSourceThread();
    const threadId = source.thread._id;
    await record(deps, source, [aSourceMessage({ threadId, author, createdAt: today })]);
    await projectThread(deps, threadId);
    await refreshThreads(deps);
    await refreshMembers(deps, new Date(today.getTime() - 86_400_000));
    const line = { _id: `${source.server._id}/messages/month/${author.id}` };
    expect(await collections.ranks.countDocuments(line)).to.equal(0);
    await markAgedMembers(deps, today);
    await refreshMembers(deps, today);
    expect(await collections.ranks.countDocuments(line)).to.equal(1);
  });

  it('let the latest source of a thread win, also when it only said again what was known', async () => {
    const monday = aSourceThread({ asOf: 1_000, thread: { archived: false } });
    await applySource(deps.collections, monday);
    const told = (asOf: number, archived: boolean) => ({
      ...monday,
      asOf,
      thread: { ...monday.thread, archived },
    });
    const { threads } = deps.collections;
    const racing = beforeCalls(threads, 'updateOne', () =>
      applySource(deps.collections, told(3_000, false)),
    );
    await applySource({ ...deps.collections, threads: racing }, told(2_000, true));
    const stored = await threads.findOne({ _id: monday.thread._id });
    expect(stored).to.include({ archived: false, asOf: 3_000 });
    expect(stored?.stamps).to.include({ archived: 3_000 });
  });

  it('keep what a build notes of a thread between reading and writing it', async () => {
    const source = aSourceThread({ asOf: 1_000 });
    const threadId = source.thread._id;
    await record(deps, source, [aSourceMessage({ _id: threadId, threadId })]);
    const { threads } = deps.collections;
    const racing = beforeCalls(threads, 'updateOne', () => projectThread(deps, threadId));
    await applySource({ ...deps.collections, threads: racing }, { ...source, asOf: 2_000 });
    const stored = await threads.findOne({ _id: threadId });
    expect(stored).to.include({ asOf: 2_000, shownTitle: source.thread.title });
    expect(stored).to.not.have.property('pending');
  });

  it('lose no field of a channel to another job that writes it at once', async () => {
    const told = { topic: 'about', position: 3, parentId: '7', parentName: 'above', type: 15 };
    for (let round = 0; round < 4; round += 1) {
      const source = aSourceThread();
      await applySource(deps.collections, source);
      const racing = Object.entries(told).map(([name, value]) =>
        applySource(collectionsOf(stores.mongo.db), {
          ...source,
          channel: { ...source.channel, [name]: value },
        }),
      );
      await Promise.all(racing);
      const channel = await deps.collections.channels.findOne({ _id: source.channel._id });
      expect(channel).to.include(told);
    }
  });
});

/** The same collection, with something done before each call of one of its methods. */
function beforeCalls<T extends object>(
  collection: Collection<T>,
  method: 'bulkWrite' | 'updateOne',
  act: () => Promise<unknown>,
): Collection<T> {
  return new Proxy(collection, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== 'function') return found;
      const call = (...args: unknown[]): unknown =>
        Reflect.apply(found as (...all: unknown[]) => unknown, target, args);
      return name === method
        ? async (...args: unknown[]) => {
            await act();
            return call(...args);
          }
        : call;
    },
  });
}
