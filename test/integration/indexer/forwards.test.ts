import { expect } from 'chai';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { forwardsOf, unshownForwards } from '../../../shared/store/forwards.js';
import { NOBODY_LEFT_OUT } from '../../../shared/store/optOuts.js';
import { writeThread } from '../../../services/indexer/search/writeThread.js';
import { nextVersion } from '../../../services/indexer/stores/nextVersion.js';
import { setMarks } from '../../../services/indexer/work/claims.js';
import { deleteMessage } from '../../../services/indexer/jobs/deleteMessage.js';
import { eraseUser } from '../../../services/indexer/jobs/eraseUser.js';
import { runDue } from '../../../services/indexer/work/runMarks.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { everyTrace } from '../../support/everyTrace.js';
import { aForward, aSourceMessage, aSourceThread, anAuthor } from '../../support/factories.js';
import { build, doAll, record, stalled } from '../../support/indexerDeps.js';
import { leaveOut } from '../../support/leaveOut.js';
import { poisoned } from '../../support/poison.js';
import { readBody } from '../../support/readBody.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { verifyNow } from '../../support/verifiedArchive.js';

const WORDS = 'Marmalade keeps';

const fail = (): never => {
  throw new Error('It cannot be rendered');
};

describe('what is forwarded', () => {
  const { stores, deps } = indexerSuite('reopened');

  /** A message in a thread, and another thread of the same forum that forwards it. None is recorded. */
  function aCopy() {
    const author = anAuthor('rosalind');
    const source = aSourceThread();
    const { server, channel, thread } = source;
    const threadId = thread._id;
    const original = aSourceMessage({ threadId, author, content: WORDS });
    const other = aSourceThread({ server, channel });
    const forward = aForward(original, { threadId: other.thread._id, author: anAuthor('orlando') });
    const member = [server._id, author.id] as const;
    return { author, source, threadId, original, other, copyId: other.thread._id, forward, member };
  }
  const said = (threadId: string) => aSourceMessage({ threadId, content: 'Another' });
  const shown = async (threadId: string) => {
    const detail = await readBody<ThreadDetail>(deps.collections, `thread/${threadId}`);
    return detail?.messages.flatMap(({ forwarded }) => forwarded?.contentHtml ?? []).join() ?? '';
  };
  const opt = async ([serverId, userId]: readonly [string, string], isOut: boolean) => {
    await leaveOut(deps, serverId, userId, isOut);
    await setMarks(deps, 'member', [`${serverId}/${userId}`]);
    await doAll(deps);
  };
  const expectNoDifference = async () => {
    await stores.refreshSearch();
    await doAll(deps);
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
  };

  it('is shown where its thread is not of this archive', async () => {
    const { other, copyId, forward } = aCopy();
    await record(deps, other, [forward]);
    await doAll(deps);
    expect(await shown(copyId)).to.contain(WORDS);
    await expectNoDifference();
  });

  it('is hidden until it is recorded itself, where its thread is', async () => {
    const { source, threadId, original, other, copyId, forward } = aCopy();
    await record(deps, source, [said(threadId)]);
    await record(deps, other, [forward]);
    await doAll(deps);
    expect(await shown(copyId)).to.equal('');
    await record(deps, source, [original]);
    await doAll(deps);
    expect(await shown(copyId)).to.contain(WORDS);
    await expectNoDifference();
  });

  it('is hidden when its author turns out to be left out, and shown when they are back', async () => {
    const { source, original, other, copyId, forward, member } = aCopy();
    await opt(member, true);
    await record(deps, other, [forward]);
    await doAll(deps);
    await record(deps, source, [original]);
    await doAll(deps);
    expect(await shown(copyId)).to.equal('');
    await expectNoDifference();
    await opt(member, false);
    expect(await shown(copyId)).to.contain(WORDS);
    await expectNoDifference();
  });

  it('goes with the message, though its author is left out, and does not come back', async () => {
    const { source, threadId, original, other, copyId, forward, member } = aCopy();
    await record(deps, source, [original, said(threadId)]);
    await record(deps, other, [forward]);
    await opt(member, true);
    expect(await shown(copyId)).to.equal('');
    await deleteMessage(deps, { messageId: original._id });
    expect(await shown(copyId)).to.equal('');
    const { messages } = deps.collections;
    expect(await messages.findOne({ _id: forward._id })).to.include({ forwarded: null });
    await record(deps, { ...other, asOf: 90_000 }, [{ ...forward, asOf: 90_000 }]);
    await opt(member, false);
    await doAll(deps);
    expect(await shown(copyId)).to.equal('');
    await stores.refreshSearch();
    const left = (await everyTrace(stores)).filter((text) => text.includes(WORDS));
    expect(left).to.deep.equal([]);
    await expectNoDifference();
  });

  it('goes when its author is erased before it is recorded itself', async () => {
    const { author, source, threadId, original, other, forward } = aCopy();
    const erasureId = await requestErasure(deps.collections, author.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    await record(deps, other, [forward]);
    await doAll(deps);
    await record(deps, source, [original, said(threadId)]);
    await doAll(deps);
    await stores.refreshSearch();
    const left = (await everyTrace(stores)).filter((text) => text.includes(WORDS));
    expect(left).to.deep.equal([]);
    await expectNoDifference();
  });

  it('is hidden while its forum is withheld', async () => {
    const { source, original, copyId, forward } = aCopy();
    const elsewhere = aSourceThread({ server: source.server, thread: { _id: copyId } });
    await record(deps, source, [original]);
    await record(deps, elsewhere, [forward]);
    await doAll(deps);
    expect(await shown(copyId)).to.contain(WORDS);
    const channelId = source.channel._id;
    const { channels } = deps.collections;
    await channels.updateOne({ _id: channelId }, { $set: { withheldAt: new Date() } });
    await setMarks(deps, 'channel', [channelId]);
    await doAll(deps);
    expect(await shown(copyId)).to.equal('');
    await channels.updateOne({ _id: channelId }, { $unset: { withheldAt: '' } });
    await setMarks(deps, 'channel', [channelId]);
    await doAll(deps);
    expect(await shown(copyId)).to.contain(WORDS);
    await expectNoDifference();
  });

  it('is judged once more where the thread that forwards it is being built meanwhile', async () => {
    const { source, threadId, original, other, copyId, forward, member } = aCopy();
    await record(deps, source, [original, said(threadId)]);
    await doAll(deps);
    await record(deps, other, [forward]);
    // The build has judged the forward when its author opts out, and all but that thread is built.
    const meanwhile = stalled(deps, async () => {
      await leaveOut(deps, ...member);
      await setMarks(deps, 'member', [member.join('/')]);
      while ((await runDue(deps, { subject: { $ne: copyId } })) === true);
    });
    await build(meanwhile, copyId);
    expect(await shown(copyId)).to.equal('');
    await expectNoDifference();
  });

  it('comes to rest where a thread forwards its own messages, whoever does, and is not shown', async () => {
    const { author, source, threadId, original, member } = aCopy();
    const twice = [author, anAuthor('celia')].map((who) => {
      return aForward(original, { threadId, author: who });
    });
    await record(deps, source, [original, said(threadId), ...twice]);
    await opt(member, true);
    await expectNoDifference();
    const channelId = source.channel._id;
    const withheldAt = new Date();
    await deps.collections.channels.updateOne({ _id: channelId }, { $set: { withheldAt } });
    await setMarks(deps, 'channel', [channelId]);
    await deleteMessage(deps, { messageId: original._id });
    await expectNoDifference();
    expect(await deps.collections.work.countDocuments({})).to.equal(0);
  });

  it('comes to rest where a thread ends with many messages that nobody may read', async () => {
    const { author, source, threadId, original, member } = aCopy();
    const many = Array.from({ length: 499 }, () => said(threadId));
    await record(deps, source, [original, ...many, aForward(original, { threadId, author })]);
    await opt(member, true);
    await expectNoDifference();
    expect(await deps.collections.work.countDocuments({})).to.equal(0);
  });

  it('is hidden where it does not say truly which thread it is of', async () => {
    const { source, original, other, copyId, forward, threadId } = aCopy();
    const elsewhere = aSourceThread().thread._id;
    const lies = [null, elsewhere].map((channelId) => {
      const reference = { ...forward.reference!, channelId };
      return aForward(original, { threadId: copyId, reference });
    });
    await record(deps, source, [original, said(threadId)]);
    await record(deps, other, lies);
    await doAll(deps);
    expect(await shown(copyId)).to.equal('');
    await record(deps, other, [forward]);
    await doAll(deps);
    expect(await shown(copyId)).to.contain(WORDS);
    await expectNoDifference();
  });

  it('is hidden as soon as its thread or its forum is deleted', async () => {
    const { source, threadId, original, other, forward } = aCopy();
    await record(deps, source, [original]);
    await record(deps, other, [forward]);
    const { threads, channels } = deps.collections;
    const isHidden = async () => {
      const judged = await unshownForwards(
        deps.collections,
        NOBODY_LEFT_OUT,
        forwardsOf([forward]),
      );
      return judged.hidden.has(forward._id);
    };
    expect(await isHidden()).to.equal(false);
    await threads.updateOne({ _id: threadId }, { $set: { deleted: true } });
    expect(await isHidden()).to.equal(true);
    await threads.updateOne({ _id: threadId }, { $unset: { deleted: '' } });
    await channels.updateOne({ _id: source.channel._id }, { $set: { deleted: true } });
    expect(await isHidden()).to.equal(true);
  });

  it('is judged where its own thread cannot be built', async () => {
    const { source, threadId, original, other, copyId, forward, member } = aCopy();
    await record(deps, other, [forward]);
    await doAll(deps);
    await leaveOut(deps, ...member);
    await record(deps, source, [original, said(threadId)]);
    expect(await build(poisoned(deps, threadId, fail), threadId)).to.equal(false);
    await doAll(deps);
    expect(await shown(copyId)).to.equal('');
  });

  it('goes with a thread that cannot be built without it', async () => {
    const { source, threadId, original, other, copyId, forward, member } = aCopy();
    await record(deps, other, [forward]);
    await doAll(deps);
    const sick = poisoned(deps, copyId, fail);
    await record(deps, other, [said(copyId)]);
    expect(await build(sick, copyId)).to.equal(false);
    expect(await shown(copyId)).to.contain(WORDS);
    await leaveOut(deps, ...member);
    await record(deps, source, [original, said(threadId)]);
    await doAll(sick).catch(String);
    expect(await build(sick, copyId)).to.equal(false);
    expect(await shown(copyId)).to.equal('');
  });

  it('is judged by a build where a new search index shows it and the views do not', async () => {
    const { source, threadId, original, other, copyId, forward } = aCopy();
    await record(deps, source, [said(threadId)]);
    await record(deps, other, [forward]);
    await doAll(deps);
    await record(deps, source, [original]);
    const { state, threads, work } = deps.collections;
    const version = await nextVersion(state);
    const thread = (await threads.findOne({ _id: copyId }))!;
    await writeThread(deps, deps.search, { thread, version });
    expect(await work.distinct('_id', { subject: copyId })).to.deep.equal([`thread/${copyId}`]);
  });

  it('comes to rest where two threads forward each other', async () => {
    const { source, threadId, original, other, copyId, forward, member } = aCopy();
    const back = aForward({ ...forward, content: 'Back' }, { threadId });
    await record(deps, source, [original, back, said(threadId)]);
    await record(deps, other, [
      forward,
      aForward({ ...original, threadId: copyId }, { threadId: copyId }),
    ]);
    await opt(member, true);
    await deleteMessage(deps, { messageId: forward._id });
    await expectNoDifference();
    expect(await deps.collections.work.countDocuments({})).to.equal(0);
  });
});
