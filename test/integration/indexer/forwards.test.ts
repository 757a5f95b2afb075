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
import {
  aForward,
  anEmbed,
  aSourceMessage,
  aSourceThread,
  anAuthor,
} from '../../support/factories.js';
import { build, doAll, quarantined, record, stalled } from '../../support/indexerDeps.js';
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
  const { stores, deps } = indexerSuite('cleared');

  /** A message in a thread, and another thread of the same forum that forwards it. Neither is recorded yet. */
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
  /** Deps for the build of a thread. During it, somebody opts out, and everything but that thread is built. */
  const optingOut = (member: readonly [string, string], threadId: string) =>
    stalled(deps, async () => {
      await leaveOut(deps, ...member);
      await setMarks(deps, 'member', [member.join('/')]);
      while ((await runDue(deps, { subject: { $ne: threadId } })) === true);
    });
  const expectNoDifference = async () => {
    await stores.refreshSearch();
    await doAll(deps);
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
  };

  it('is shown where its thread is not in this archive', async () => {
    const { other, copyId, forward } = aCopy();
    const forwarded = {
      ...forward.forwarded!,
      content: `${WORDS} in <#${other.channel._id}>`,
      embeds: [anEmbed({ title: `<#${copyId}>` })],
    };
    await record(deps, other, [{ ...forward, forwarded }]);
    await doAll(deps);
    expect(await shown(copyId))
      .to.contain(WORDS)
      .and.contain('#help');
    const detail = await readBody<ThreadDetail>(deps.collections, `thread/${copyId}`);
    expect(detail?.messages[0]?.forwarded?.embeds[0]?.title).to.contain(other.thread.title);
    await expectNoDifference();
  });

  it('is hidden until it is recorded itself, where its thread is in this archive', async () => {
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

  it('is hidden when its author turns out to be left out, and is shown when they are back', async () => {
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

  it('is removed with the original, even if its author is left out, and does not come back', async () => {
    const { source, threadId, original, other, copyId, forward, member } = aCopy();
    await record(deps, source, [original, said(threadId)]);
    await record(deps, other, [forward]);
    await opt(member, true);
    expect(await shown(copyId)).to.equal('');
    await deleteMessage(deps, { messageId: original._id });
    expect(await shown(copyId)).to.equal('');
    const { messages } = deps.collections;
    expect(await messages.findOne({ _id: forward._id })).to.include({ forwarded: null });
    const again = record(deps, { ...other, asOf: 90_000 }, [{ ...forward, asOf: 90_000 }]);
    // Nothing of it is taken into the records, so nothing has to be built.
    expect(await again).to.include({ isChanged: false });
    await opt(member, false);
    await doAll(deps);
    expect(await shown(copyId)).to.equal('');
    await stores.refreshSearch();
    const left = (await everyTrace(stores)).filter((text) => text.includes(WORDS));
    expect(left).to.deep.equal([]);
    await expectNoDifference();
  });

  it('is removed when its author is erased before it is recorded itself', async () => {
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

  it('leads to no endless builds where its own thread forwards it beside a mention of the erased author', async () => {
    const { author, source, threadId, original } = aCopy();
    const { id, username, displayName, isBot } = author;
    const mentions = [{ id, username, displayName, isBot }];
    const forward = { ...aForward(original, { threadId, author: anAuthor('orlando') }), mentions };
    await record(deps, source, [original, forward]);
    await doAll(deps);
    expect(await shown(threadId)).to.contain(WORDS);
    const erasureId = await requestErasure(deps.collections, author.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    await expectNoDifference();
  });

  it('is removed with its erased author, where its own thread forwards it', async () => {
    const { author, source, threadId, original } = aCopy();
    const forward = aForward(original, { threadId, author: anAuthor('orlando') });
    await record(deps, source, [original, forward]);
    await doAll(deps);
    const erasureId = await requestErasure(deps.collections, author.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    await stores.refreshSearch();
    const left = (await everyTrace(stores)).filter((text) => text.includes(WORDS));
    expect(left).to.deep.equal([]);
  });

  /** A copy of a copy, in a third thread or in the thread of the first copy. Nothing of it is recorded yet. */
  function aCopyOfACopy({ inOneThread = false } = {}) {
    const first = aCopy();
    const { server, channel } = first.source;
    const third = inOneThread ? first.other : aSourceThread({ server, channel });
    const threadId = third.thread._id;
    const again = {
      ...aForward(first.forward, { threadId, author: anAuthor('celia') }),
      forwarded: first.forward.forwarded,
    };
    return { ...first, third, thirdId: threadId, again };
  }

  for (const inOneThread of [false, true])
    it(`goes with its author, who is erased, where a copy of it was forwarded in turn${inOneThread ? ' beside it' : ''}`, async () => {
      const rig = aCopyOfACopy({ inOneThread });
      const { author, source, threadId, original, other, copyId, forward } = rig;
      const { third, thirdId, again } = rig;
      await record(deps, source, [original, said(threadId)]);
      await record(deps, other, [forward]);
      await record(deps, third, [again]);
      await doAll(deps);
      expect(await shown(thirdId)).to.contain(WORDS);
      const erasureId = await requestErasure(deps.collections, author.id);
      await eraseUser(deps, { erasureId }, REPORT_NOBODY);
      expect([await shown(copyId), await shown(thirdId)]).to.deep.equal(['', '']);
      await stores.refreshSearch();
      const left = () => everyTrace(stores).then((all) => all.filter((one) => one.includes(WORDS)));
      expect(await left()).to.deep.equal([]);
      await record(deps, third, [{ ...again, asOf: again.asOf + 1 }]);
      await doAll(deps);
      await stores.refreshSearch();
      expect(await left()).to.deep.equal([]);
      await expectNoDifference();
    });

  it('is hidden with its left-out author, where a copy of it was forwarded in turn', async () => {
    const { source, threadId, original, other, forward, member, ...rest } = aCopyOfACopy();
    const { third, thirdId, again } = rest;
    await record(deps, third, [again]);
    await record(deps, other, [forward]);
    await record(deps, source, [original, said(threadId)]);
    await doAll(deps);
    for (const isOut of [true, false]) {
      await opt(member, isOut);
      expect(await shown(thirdId)).to.contain(isOut ? '' : WORDS);
      if (isOut) expect(await shown(thirdId)).to.equal('');
      await expectNoDifference();
    }
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

  it('is judged again where the thread that forwards it is being built meanwhile', async () => {
    const { source, threadId, original, other, copyId, forward, member } = aCopy();
    await record(deps, source, [original, said(threadId)]);
    await doAll(deps);
    await record(deps, other, [forward]);
    // The build has already judged the forward when its author opts out. Then everything but that thread is built.
    const meanwhile = optingOut(member, copyId);
    await build(meanwhile, copyId);
    expect(await shown(copyId)).to.equal('');
    await expectNoDifference();
  });

  it('leads to no endless builds where a thread forwards its own messages', async () => {
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

  it('leads to no endless builds where a thread ends with many messages that nobody may read', async () => {
    const { author, source, threadId, original, member } = aCopy();
    const many = Array.from({ length: 499 }, () => said(threadId));
    await record(deps, source, [original, ...many, aForward(original, { threadId, author })]);
    await opt(member, true);
    await expectNoDifference();
    expect(await deps.collections.work.countDocuments({})).to.equal(0);
  });

  /** A forward that names another thread than the one in which its original is recorded. */
  const aLie = ({ original, copyId, forward }: ReturnType<typeof aCopy>, to: string | null) =>
    aForward(original, { threadId: copyId, reference: { ...forward.reference!, channelId: to } });

  it('is hidden where it names no thread, or names one that does not hold it', async () => {
    const copy = aCopy();
    const { source, original, other, copyId, forward, threadId } = copy;
    await record(deps, source, [original, said(threadId)]);
    await record(deps, other, [aLie(copy, null), aLie(copy, copyId)]);
    await doAll(deps);
    expect(await shown(copyId)).to.equal('');
    await record(deps, other, [forward]);
    await doAll(deps);
    expect(await shown(copyId)).to.contain(WORDS);
    await expectNoDifference();
  });

  for (const order of ['before', 'after']) {
    it(`is judged by the thread that it names, recorded ${order} the original`, async () => {
      const copy = aCopy();
      const { source, original, other, copyId } = copy;
      const elsewhere = aSourceThread();
      const first = () => record(deps, source, [original]);
      if (order === 'after') await first();
      await record(deps, other, [aLie(copy, elsewhere.thread._id)]);
      await doAll(deps);
      if (order === 'before') await first();
      await expectNoDifference();
      expect(await shown(copyId)).to.contain(WORDS);
      await record(deps, elsewhere, [said(elsewhere.thread._id)]);
      await doAll(deps);
      expect(await shown(copyId)).to.equal('');
      await expectNoDifference();
    });
  }

  it('is hidden by builds that begin after the erasure of its author was requested', async () => {
    const { author, source, threadId, original, other, copyId, forward } = aCopy();
    await record(deps, source, [original, said(threadId)]);
    await record(deps, other, [forward]);
    await doAll(deps);
    const erasureId = await requestErasure(deps.collections, author.id);
    await record(deps, other, [said(copyId)]);
    await build(deps, copyId);
    expect(await shown(copyId)).to.equal('');
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    await expectNoDifference();
  });

  it('is hidden as soon as its thread, its forum or its server is deleted', async () => {
    const { source, threadId, original, other, forward } = aCopy();
    await record(deps, source, [original]);
    await record(deps, other, [forward]);
    const { threads, channels, servers } = deps.collections;
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
    await channels.updateOne({ _id: source.channel._id }, { $unset: { deleted: '' } });
    await servers.updateOne({ _id: source.server._id }, { $set: { deleted: true } });
    expect(await isHidden()).to.equal(true);
  });

  it('is judged even if its own thread cannot be built', async () => {
    const { source, threadId, original, other, copyId, forward, member } = aCopy();
    await record(deps, other, [forward]);
    await doAll(deps);
    await leaveOut(deps, ...member);
    await record(deps, source, [original, said(threadId)]);
    expect(await build(poisoned(deps, threadId, fail), threadId)).to.equal(false);
    await doAll(deps);
    expect(await shown(copyId)).to.equal('');
  });

  it('is removed together with a thread that cannot be built without it', async () => {
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

  it('is judged by a build where a new search index shows it, but the views do not', async () => {
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

  it('is judged by one more build where a new search index was written at the same time', async () => {
    const { source, threadId, original, other, copyId, forward } = aCopy();
    await record(deps, source, [original, said(threadId)]);
    await record(deps, other, [forward]);
    await doAll(deps);
    await setMarks(deps, 'thread', [copyId]);
    const { state, threads, work } = deps.collections;
    const before = (await work.findOne({ _id: `thread/${copyId}` }))!;
    // A build with a newer version has been claimed. It may judge the original later than the documents that are
    // written here.
    const version = await nextVersion(state);
    const thread = (await threads.findOne({ _id: copyId }))!;
    await writeThread(deps, deps.search, { thread, version });
    const after = (await work.findOne({ _id: `thread/${copyId}` }))!;
    expect(after.whole).to.equal(true);
    expect(after.token).not.to.equal(before.token);
    await expectNoDifference();
  });

  it('is removed with a thread that showed it meanwhile, and then cannot be built', async () => {
    const { source, threadId, original, other, copyId, forward, member } = aCopy();
    await record(deps, source, [original, said(threadId)]);
    await doAll(deps);
    await record(deps, other, [forward]);
    // The author opts out while the thread is built for the first time. No later build of it succeeds.
    let wasShown = '';
    const meanwhile = optingOut(member, copyId);
    const write: typeof deps.search.write = async (...documents) => {
      wasShown ||= await shown(copyId);
      if (wasShown) fail();
      await meanwhile.search.write(...documents);
    };
    expect(await build({ ...deps, search: { ...deps.search, write } }, copyId)).to.equal(false);
    expect(wasShown).to.contain(WORDS);
    expect(await shown(copyId)).to.equal('');
  });

  it('leads to no endless builds where two threads forward each other', async () => {
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

  it('leads to no endless builds where two threads forward each other and cannot be built', async () => {
    const { source, threadId, original, other, copyId, forward } = aCopy();
    const second = said(copyId);
    await record(deps, source, [said(threadId), aForward(second, { threadId })]);
    await record(deps, other, [said(copyId), forward]);
    await doAll(deps);
    // Now each of them should show what it forwards.
    await record(deps, source, [original]);
    await record(deps, other, [second]);
    const sick = poisoned(poisoned(deps, threadId, fail), copyId, fail);
    const goOn = () => runDue(sick, {}, ['thread', 'links', 'lists']).catch(() => true);
    let rounds = 0;
    while ((await goOn()) === true && rounds < 50) rounds += 1;
    expect(rounds).to.be.below(50);
    expect(await quarantined(deps)).to.have.length(2);
  });
});
