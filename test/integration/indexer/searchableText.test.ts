import { expect } from 'chai';
import { Turns } from '../../../services/api/turns.js';
import { eraseUser } from '../../../services/indexer/jobs/eraseUser.js';
import { writeThread } from '../../../services/indexer/search/writeThread.js';
import { nextVersion } from '../../../services/indexer/stores/nextVersion.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import type { SourceMessage } from '../../../shared/store/records.js';
import { everyTrace } from '../../support/everyTrace.js';
import {
  aForward,
  anAuthor,
  anEmbed,
  aSourceMessage,
  aSourceThread,
} from '../../support/factories.js';
import { doAll, record } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { rebuildArchive } from '../../support/rebuildArchive.js';
import { searchArchive } from '../../support/searchArchive.js';
import { searchParams, UNLIMITED } from '../../support/searchDocuments.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { verifyNow } from '../../support/verifiedArchive.js';

describe('what is found of a message', () => {
  const { stores, deps } = indexerSuite('renewed');
  const bob = anAuthor('bob', { displayName: 'Bobolink' });

  /** Records and builds a thread with one message, and returns both. */
  const write = async (message: Partial<SourceMessage>, title = 'Tides') => {
    const source = aSourceThread({ thread: { title } });
    const said = aSourceMessage({ ...message, threadId: source.thread._id });
    await record(deps, source, [said]);
    await doAll(deps);
    return { source, said };
  };
  const ask = async (q: string) => {
    await stores.refreshSearch();
    return searchArchive({ ...deps, turns: new Turns() }, searchParams(q), UNLIMITED);
  };
  const counts = async (q: string) => {
    const { threadCount, messageCount } = await ask(q);
    return [threadCount, messageCount];
  };
  const expectNoDifference = async () => {
    await doAll(deps);
    await stores.refreshSearch();
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
  };

  it('are the names that readers see, and no ids, with times and emoji', async () => {
    const content = `hello <@${bob.id}> zyzzyva <:wave:${bob.id}> <t:1700000000:D>`;
    await write({ content, mentions: [bob] });
    for (const q of ['hello Bobolink', '"zyzzyva wave"', '"14 November 2023"'])
      expect(await counts(q), q).to.deep.equal([1, 1]);
    expect(await counts(bob.id)).to.deep.equal([0, 0]);
    const { results } = await ask('zyzzyva');
    const [message] = results.messages;
    expect(message).to.include({
      content,
      contentPreview: 'hello @Bobolink zyzzyva :wave: 14 November 2023',
    });
    const passage = 'hello @Bobolink <mark>zyzzyva</mark> :wave: 14 November 2023';
    expect(message!.highlights.content).to.equal(passage);
    expect(results.threads[0]!.highlights.content).to.equal(passage);
    await expectNoDifference();
  });

  it('is found composed, however its letters were written', async () => {
    const apart = (text: string) => text.normalize('NFD');
    const words = ['서버', 'ガラス', 'йод', 'ўчора', 'ἄνθρωπος', 'कড়া'];
    const content = apart(`${words.join(' ')} zyzzyva`);
    const { said } = await write({ content }, apart('한국어 café'));
    for (const word of words) {
      expect(await counts(word), word).to.deep.equal([1, 1]);
      expect(await counts(apart(word)), word).to.deep.equal([1, 1]);
    }
    const { results } = await ask('서버 한국어');
    expect(results.messages[0]).to.include({ id: said._id, content });
    expect(results.messages[0]!.highlights.content).to.match(/^<mark>서버<\/mark> ガラス/);
    expect(results.threads[0]).to.include({ title: '한국어 café' });
    await expectNoDifference();
  });

  it('are the names in what it forwards, too', async () => {
    const original = { ...aSourceMessage(), content: `hello <@${bob.id}>` };
    await write({ ...aForward(original), mentions: [bob] });
    expect(await counts('hello Bobolink')).to.deep.equal([1, 1]);
  });

  it('is the name of a linked thread as it is now, in a new index too', async () => {
    const target = await write({}, 'Ospreys');
    await write({ content: `see <#${target.source.thread._id}>` });
    expect(await counts('see Ospreys')).to.deep.equal([1, 1]);
    const thread = { ...target.source.thread, title: 'Kestrels' };
    await record(deps, { ...target.source, asOf: 2_000, thread }, []);
    await doAll(deps);
    expect(await counts('see Ospreys')).to.deep.equal([0, 0]);
    expect(await counts('see Kestrels')).to.deep.equal([1, 1]);
    await rebuildArchive(deps).rebuild();
    expect(await counts('see Kestrels')).to.deep.equal([1, 1]);
    await expectNoDifference();
  });

  it('is built once more where a new search index was written beside a first build', async () => {
    const target = await write({}, 'Ospreys');
    const source = aSourceThread();
    const { _id: threadId } = source.thread;
    const content = `see <#${target.source.thread._id}>`;
    await record(deps, source, [aSourceMessage({ threadId, content })]);
    const { state, threads, work } = deps.collections;
    const before = (await work.findOne({ _id: `thread/${threadId}` }))!;
    // A build with a newer version has been claimed. It may read another name later than the documents that are written
    // here.
    const version = await nextVersion(state);
    const thread = (await threads.findOne({ _id: threadId }))!;
    await writeThread(deps, deps.search, { thread, version });
    const after = (await work.findOne({ _id: `thread/${threadId}` }))!;
    expect(after.whole).to.equal(true);
    expect(after.token).not.to.equal(before.token);
    await expectNoDifference();
  });

  it('are the texts of its embeds where it has no content, previews too', async () => {
    const rules = aSourceThread({ thread: { title: 'Rulebook' } });
    const { _id: threadId } = rules.thread;
    await record(deps, rules, [aSourceMessage({ threadId })]);
    const title = 'Release 1.2 zebrafish';
    const embed = anEmbed({ title, description: `quokka notes for <@${bob.id}>` });
    const fields = [{ name: 'wombat', value: `see <#${threadId}>`, inline: false }];
    const { said } = await write({
      content: '',
      mentions: [bob],
      embeds: [embed, anEmbed({ fields })],
    });
    for (const q of ['zebrafish', 'quokka Bobolink', 'wombat Rulebook'])
      expect(await counts(q), q).to.deep.equal([1, 1]);
    const shown = 'Release 1.2 zebrafish\nquokka notes for @Bobolink\nwombat\nsee #Rulebook';
    const { results } = await ask('zebrafish');
    expect(results.messages[0]!.contentPreview).to.equal(shown);
    expect(results.threads[0]!.preview).to.equal(shown);
    await record(deps, { ...rules, asOf: 2_000, thread: { ...rules.thread, title: 'Handbook' } });
    await doAll(deps);
    expect(await counts('wombat Handbook')).to.deep.equal([1, 1]);
    const body = await readBody<ThreadDetail>(deps.collections, `thread/${said.threadId}`);
    expect(body!.messages[0]!.embeds[1]!.fields[0]!.value).to.equal('see #Handbook');
    await expectNoDifference();
  });

  it('is no name of somebody who was erased, and does not become one again', async () => {
    const { source, said } = await write({ content: `hello <@${bob.id}>`, mentions: [bob] });
    expect(await counts('hello Bobolink')).to.deep.equal([1, 1]);
    const erasureId = await requestErasure(deps.collections, bob.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    await doAll(deps);
    expect(await counts('hello Bobolink')).to.deep.equal([0, 0]);
    await record(deps, { ...source, asOf: 9_000 }, [{ ...said, asOf: 9_000 }]);
    await doAll(deps);
    expect(await counts('hello')).to.deep.equal([1, 1]);
    expect(await counts('hello Bobolink')).to.deep.equal([0, 0]);
    await stores.refreshSearch();
    expect((await everyTrace(stores)).filter((text) => /bobolink/i.test(text))).to.deep.equal([]);
    await expectNoDifference();
  });
});
