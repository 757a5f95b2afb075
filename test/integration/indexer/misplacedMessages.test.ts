import { expect } from 'chai';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { documentId, searchAlias } from '../../../shared/store/searchIndex.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { SourceConflict } from '../../../services/indexer/ingest/source.js';
import { deleteMessage } from '../../../services/indexer/jobs/deleteMessage.js';
import { recordThreadDeletion } from '../../../services/indexer/jobs/deleteThread.js';
import { recordMessageDeletions } from '../../../services/indexer/sync/removeDeleted.js';
import { setMarks } from '../../../services/indexer/work/claims.js';
import { aSourceMessage, aSourceThread, anId } from '../../support/factories.js';
import { build, doAll, record, stalled } from '../../support/indexerDeps.js';
import { LIVE } from '../../support/mirrorRig.js';
import { readBody } from '../../support/readBody.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { bringToRest, verifyNow } from '../../support/verifiedArchive.js';

/** A thread with three messages. */
function aConversation() {
  const source = aSourceThread();
  const threadId = source.thread._id;
  const messages = ['How do I start?', 'With npm start', 'Thank you'].map((content, n) =>
    aSourceMessage({ threadId, content, ...(n === 0 && { _id: threadId }) }),
  );
  return { source, threadId, messages };
}

describe('a message that an export has put into a wrong thread', () => {
  const { stores, deps } = indexerSuite('cleared');

  const detail = (threadId: string) =>
    readBody<ThreadDetail>(deps.collections, `thread/${threadId}`);
  const contentsOf = async (threadId: string) =>
    (await detail(threadId))?.messages.map(({ content }) => content);
  const markOf = (threadId: string) => deps.collections.work.findOne({ _id: `thread/${threadId}` });

  /** A thread that the platform told, and another one into which an export has put a message of it. */
  async function aMisplacedMessage() {
    const [real, other] = [aConversation(), aConversation()];
    const misplaced = aSourceMessage({ threadId: other.threadId, content: 'Told by an export' });
    await record(deps, other.source, [...other.messages, misplaced]);
    const live = real.messages.map((message) => ({ ...message, asOf: LIVE }));
    await record(deps, { ...real.source, asOf: LIVE }, live);
    await doAll(deps);
    const { threadId } = real;
    const told = { ...misplaced, threadId, content: 'Told by the platform', asOf: LIVE };
    return { real, other, misplaced, told };
  }

  it('leaves that thread when the platform tells of it elsewhere', async () => {
    const { real, other, misplaced, told } = await aMisplacedMessage();
    const late = stalled(deps, () => record(deps, real.source, [told]));
    await setMarks(deps, 'thread', [other.threadId], { whole: true });
    // The late build has read the message in the other thread before.
    await build(late, other.threadId);
    expect(await markOf(real.threadId)).to.include({ whole: true });
    await doAll(deps);
    expect(await contentsOf(real.threadId)).to.include('Told by the platform');
    expect((await detail(other.threadId))?.messageCount).to.equal(3);
    await stores.refreshSearch();
    const found = await stores.elasticsearch.get<{ threadId: string }>({
      index: searchAlias(stores.mongo.namespace),
      id: documentId('message', told._id),
    });
    expect(found._source?.threadId).to.equal(real.threadId);
    const again = record(deps, { ...other.source, asOf: 9 }, [{ ...misplaced, asOf: 9 }]);
    expect(await again.catch((error: unknown) => error)).to.be.instanceOf(SourceConflict);
  });

  it('is removed, even if it moves into its real thread while it is being deleted', async () => {
    const { real, told } = await aMisplacedMessage();
    const late: IndexerDeps = {
      ...deps,
      async commit(change) {
        await record(deps, real.source, [told]);
        await build(deps, real.threadId);
        return deps.commit(change);
      },
    };
    expect(await deleteMessage(late, { messageId: told._id })).to.deep.equal({ messages: 1 });
    const contents = await contentsOf(real.threadId);
    expect(contents).to.have.length(3).and.not.include('Told by the platform');
  });

  for (const [how, lose] of [
    ['was deleted', (threadId: string) => recordThreadDeletion(deps, threadId)],
    [
      'was found without it',
      (threadId: string, messageId: string) =>
        recordMessageDeletions(deps, { threadId }, [messageId]),
    ],
  ] as const) {
    it(`is taken from the platform after its wrong thread ${how}`, async () => {
      const { real, other, told } = await aMisplacedMessage();
      await lose(other.threadId, told._id);
      await doAll(deps);
      expect(await deps.collections.messages.findOne({ _id: told._id })).to.include({
        threadId: other.threadId,
        deleted: true,
      });
      expect(await record(deps, real.source, [told])).to.include({ isChanged: true });
      await doAll(deps);
      const contents = await contentsOf(real.threadId);
      expect(contents).to.include('Told by the platform');
      await bringToRest(deps, stores);
      expect((await verifyNow(deps)).differences).to.deep.equal([]);
    });
  }

  it('is removed when the platform has deleted it in its real thread', async () => {
    const { real, other, told } = await aMisplacedMessage();
    await recordMessageDeletions(deps, { threadId: real.threadId }, [told._id]);
    await doAll(deps);
    expect((await detail(other.threadId))?.messageCount).to.equal(3);
    // An answer that was asked for before the deletion comes late.
    expect(await record(deps, real.source, [told])).to.include({ isChanged: false });
    await doAll(deps);
    expect((await detail(real.threadId))?.messageCount).to.equal(3);
    await bringToRest(deps, stores);
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
  });

  it('stays deleted where an operator has deleted it', async () => {
    const { real, other, told } = await aMisplacedMessage();
    const deleted = deleteMessage(deps, { messageId: told._id });
    await doAll(deps);
    await deleted;
    await record(deps, real.source, [told, { ...told, _id: anId(), content: 'Told after it' }]);
    await doAll(deps);
    const contents = await contentsOf(real.threadId);
    expect(contents).to.include('Told after it');
    expect(contents).not.to.include('Told by the platform');
    expect(await deps.collections.messages.findOne({ _id: told._id })).to.include({
      threadId: other.threadId,
      deleted: true,
      content: '',
    });
  });
});
