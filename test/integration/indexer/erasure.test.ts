import { mock, type Mock } from 'node:test';
import { expect } from 'chai';
import type { ChannelList, Server, ServerStats } from '../../../shared/contract/servers.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { erasedPeople, erasureIdOf, requestErasure } from '../../../shared/store/erasures.js';
import { THREAD_STARTER, TITLE_CHANGE } from '../../../shared/exportFormat/messageTypes.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import { NOTHING_FETCHED } from '../../../shared/store/syncRecords.js';
import type { AuthorSnapshot, SourceMessage, SourceThread } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { ingest } from '../../../services/indexer/ingest/ingest.js';
import { buildPeople } from '../../../services/indexer/build/buildPeople.js';
import { eraseUser } from '../../../services/indexer/jobs/eraseUser.js';
import { erasedTraces } from '../../../services/indexer/verify/erasedTraces.js';
import { findTraces } from '../../../services/indexer/jobs/findTraces.js';
import { retryQuarantined } from '../../../services/indexer/jobs/retryQuarantined.js';
import { REDACTED } from '../../../shared/store/redacted.js';
import { SearchUnavailable } from '../../../services/indexer/stores/sendBulk.js';
import { claimMarks, setMarks } from '../../../services/indexer/work/claims.js';
import { createCommit } from '../../../services/indexer/work/commit.js';
import { runClaimed } from '../../../services/indexer/work/runMarks.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { until } from '../../support/apiServer.js';
import {
  aForward,
  aChannel,
  aMessage,
  aServer,
  aSourceMessage,
  aSourceThread,
  aThread,
  anAuthor,
  anEmbed,
  anId,
} from '../../support/factories.js';
import {
  anotherProcess,
  build,
  doAll,
  endLeases,
  inBatches,
  indexerDeps,
  record,
  stalled,
} from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { openStores } from '../../support/stores.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { everyTrace } from '../../support/everyTrace.js';

const GONE = anAuthor('zyxwvuts', { id: '777777777777777701', displayName: 'Zyx Wvuts' });
const TRACES = /777777777777777701|zyxwvuts|zyx wvuts|secretword/i;
/** Each kind of thread occurs a few times. test/integration/archive/erasure.test.ts has hundreds. */
const WROTE_IN = 12;
const MENTIONED_IN = 4;
const BATCH = 8;

interface Said {
  source: SourceThread & { thread: NonNullable<SourceThread['thread']> };
  messages: SourceMessage[];
}

const serverId = anId();
const channelId = anId();
const mention = {
  id: GONE.id,
  username: GONE.username,
  displayName: GONE.displayName,
  isBot: false,
};

/** A thread that they started alone, one that they started and others answered, or one that they answered. */
function wroteIn(n: number): Said {
  const source = aSourceThread({
    server: { _id: serverId },
    channel: { _id: channelId },
    thread: { title: n % 5 === 1 ? 'Question of Zyx Wvuts' : `Question ${n}` },
  });
  const threadId = source.thread._id;
  const theirs = (more: Partial<SourceMessage> = {}) =>
    aSourceMessage({ threadId, author: GONE, content: `Secretword ${n}`, ...more });
  const others = (more: Partial<SourceMessage> = {}) =>
    aSourceMessage({ threadId, author: anAuthor('grace'), content: 'Open words', ...more });
  const kinds = [
    () => [theirs({ _id: threadId })],
    () => [theirs({ _id: threadId }), others()],
    () => [others({ _id: threadId }), theirs()],
  ];
  return { source, messages: kinds[n % 3]!() };
}

function mentionsThem(n: number): Said {
  const source = aSourceThread({
    server: { _id: serverId },
    channel: { _id: channelId },
    thread: { title: `Answer ${n}` },
  });
  const threadId = source.thread._id;
  return {
    source,
    messages: [
      aSourceMessage({
        _id: threadId,
        threadId,
        author: anAuthor('linus'),
        content: `Ask <@${GONE.id}> or @Zyx Wvuts`,
        mentions: [mention],
        reactions: [
          { emoji: { id: null, name: '👍', animated: false }, count: 2, userIds: [GONE.id] },
        ],
      }),
    ],
  };
}

describe('erasing a person', () => {
  const { stores, deps } = indexerSuite();
  let archive: Said[];
  let result: unknown;
  let asked: Mock<(typeof deps.collections.messages)['distinct']>;

  const importAll = async () => {
    for (let start = 0; start < archive.length; start += BATCH) {
      await Promise.all(
        archive.slice(start, start + BATCH).map(async ({ source, messages }) => {
          await record(deps, source, messages);
          await build(deps, source.thread._id);
        }),
      );
    }
    await doAll(deps);
    await stores.refreshSearch();
  };
  /** What is left anywhere of somebody: their id, their name, or other words. */
  const tracesOf = async ({ id, username }: AuthorSnapshot, ...words: string[]) => {
    await stores.refreshSearch();
    const pattern = new RegExp([id, username, ...words].join('|'), 'i');
    return (await everyTrace(stores)).filter((text) => pattern.test(text));
  };
  const stats = async () =>
    (await readBody<ServerStats>(deps.collections, `stats/${serverId}`))?.stats;

  before(async () => {
    archive = [
      ...Array.from({ length: WROTE_IN }, (_, n) => wroteIn(n)),
      ...Array.from({ length: MENTIONED_IN }, (_, n) => mentionsThem(n)),
    ];
    await importAll();
    expect((await everyTrace(stores)).filter((text) => TRACES.test(text))).to.have.length.above(
      WROTE_IN + MENTIONED_IN,
    );
    const erasureId = await requestErasure(deps.collections, GONE.id);
    asked = mock.method(deps.collections.messages, 'distinct');
    result = await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    asked.mock.restore();
  });

  it('asks no question whose answer needs all that they wrote', () => {
    const fields = asked.mock.calls.map(({ arguments: [field] }) => field);
    expect(fields.filter((field) => field.startsWith('author.'))).to.deep.equal([]);
  });

  it('leaves no id, name or word of theirs in any collection, search document or Redis key', async () => {
    expect(result).to.deep.equal({
      threads: WROTE_IN + MENTIONED_IN,
      messages: WROTE_IN + MENTIONED_IN,
      removedMessages: WROTE_IN,
      // In a third of these threads nobody else wrote.
      removedThreads: WROTE_IN / 3,
      profiles: 1,
      files: 0,
    });
    expect((await everyTrace(stores)).filter((text) => TRACES.test(text))).to.deep.equal([]);
  });

  it('keeps what others wrote, and the threads they wrote in', async () => {
    const answered = archive[1]!.source.thread;
    const body = await readBody<ThreadDetail>(deps.collections, `thread/${answered._id}`);
    expect(body).to.deep.include({ title: 'Question of deleted-user', messageCount: 1 });
    expect(body?.author).to.include({ id: '0', username: 'deleted-user' });
    expect(await readBody(deps.collections, `thread/${archive[0]!.source.thread._id}`)).to.equal(
      null,
    );
    const mentioned = archive[WROTE_IN]!.source.thread._id;
    const message = (await readBody<ThreadDetail>(deps.collections, `thread/${mentioned}`))
      ?.messages[0];
    expect(message?.content).to.equal('Ask @deleted-user or @deleted-user');
    expect(message?.reactions).to.deep.equal([{ emoji: '👍', emojiId: null, count: 1 }]);
  });

  it('leaves the same counts as a recount', async () => {
    const { messages, threads } = deps.collections;
    const left = await messages.find({ counted: true, deleted: { $ne: true } }).toArray();
    const counts = await stats();
    expect(counts?.messages.total).to.equal(left.length);
    expect(counts?.participants.unique).to.equal(new Set(left.map(({ author }) => author.id)).size);
    expect(counts?.threads.total).to.equal(new Set(left.map(({ threadId }) => threadId)).size);
    expect(counts?.reactions.total).to.equal(MENTIONED_IN);
    expect(await threads.countDocuments({ deleted: { $ne: true } })).to.equal(
      counts?.threads.total,
    );
  });

  it('brings nothing back when the same files are imported again', async () => {
    const before = await stats();
    await importAll();
    expect((await everyTrace(stores)).filter((text) => TRACES.test(text))).to.deep.equal([]);
    expect(await stats()).to.deep.equal(before);
  });

  it('takes nothing of theirs from a later source', async () => {
    const later = { ...wroteIn(2) };
    const threadId = later.source.thread._id;
    await record(deps, { ...later.source, asOf: 90_000 }, later.messages);
    const renamed = { ...archive[1]!, source: { ...archive[1]!.source, asOf: 90_000 } };
    await record(deps, renamed.source, renamed.messages);
    await build(deps, threadId);
    await build(deps, renamed.source.thread._id);
    await doAll(deps);
    await stores.refreshSearch();
    expect((await everyTrace(stores)).filter((text) => TRACES.test(text))).to.deep.equal([]);
  });

  /** A process whose first change is held up until somebody is erased. */
  function lateFor(userId: string, by = deps): IndexerDeps {
    let isOver = false;
    return {
      ...by,
      async commit(change) {
        if (!isOver) {
          isOver = true;
          const erasureId = await requestErasure(by.collections, userId);
          await eraseUser(by, { erasureId }, REPORT_NOBODY);
        }
        return by.commit(change);
      },
    };
  }

  it('takes nothing of a person who was erased between the reading and the storing of a source', async () => {
    const racer = anAuthor('racerx', { id: '777777777777777702', displayName: 'Racer X' });
    const address = `https://example.org/${racer.id}`;
    const source = aSourceThread({
      server: { description: address },
      channel: { topic: address },
      thread: { title: address, ownerId: racer.id },
    });
    const threadId = source.thread._id;
    await record(lateFor(racer.id), source, [
      aSourceMessage({ threadId, content: address }),
      aSourceMessage({ threadId, author: racer, content: 'Racing words' }),
      aSourceMessage({ threadId, author: racer, counted: false }),
    ]);
    expect(await tracesOf(racer, 'racing words')).to.deep.equal([]);
    await build(deps, threadId);
    expect(await bodyOf(threadId)).to.include({ title: '[deleted]', messageCount: 1 });
  });

  it('leaves nothing of what is imported at the same time', async () => {
    for (let round = 0; round < 3; round += 1) {
      const racer = anAuthor(`swift${round}`, { id: `77777777777777773${round}` });
      const sources = Array.from({ length: 4 }, () =>
        aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } }),
      );
      const imports = sources.map((source) => {
        const threadId = source.thread._id;
        const said = { threadId, content: `Ask <@${racer.id}>` };
        return record(anotherProcess(deps, stores), source, [
          aSourceMessage({ ...said, _id: threadId }),
          aSourceMessage({ ...said, author: racer, content: 'Racing words' }),
          aSourceMessage({ ...said, author: racer, counted: false }),
        ]);
      });
      const erasureId = await requestErasure(deps.collections, racer.id);
      await eraseUser(deps, { erasureId }, REPORT_NOBODY);
      await Promise.all(imports);
      await doAll(deps);
      expect(await tracesOf(racer, 'racing words')).to.deep.equal([]);
    }
  });

  it('cleans, by a build, the messages and notices of an import that did not know of the erasure', async () => {
    const ghost = anAuthor('ghostly', { id: '777777777777777709' });
    const erasureId = await requestErasure(deps.collections, ghost.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    const { collections } = deps;
    const words = `Ask <@${ghost.id}>`;
    const server = aServer({ description: words });
    const channel = aChannel({ serverId: server._id, topic: words });
    const place = { serverId: server._id, channelId: channel._id };
    const thread = aThread({ ...place, title: words, ownerId: ghost.id });
    const said = [{ _id: thread._id }, { author: ghost }, { counted: false, author: ghost }].map(
      (more) => aMessage({ threadId: thread._id, content: words, ...more }),
    );
    await collections.servers.insertOne(server);
    await collections.channels.insertOne(channel);
    await collections.threads.insertOne(thread);
    await collections.messages.insertMany(said);
    await setMarks(deps, 'thread', [thread._id]);
    await setMarks(deps, 'person', [ghost.id]);
    await doAll(deps);
    expect(await tracesOf(ghost)).to.deep.equal([]);
    expect(await bodyOf(thread._id)).to.include({ title: 'Ask deleted-user', messageCount: 1 });
  });

  it('succeeds in spite of damaged mentions, and takes the names in whole ones out of titles', async () => {
    const eve = anAuthor('evelyn', { id: '777777777777777711' });
    const { id, username, displayName, isBot } = eve;
    const mention = { id, username, displayName, isBot };
    const damaged = [mention, [null, mention], [{ ...mention, username: null, displayName: 5 }]];
    const { messages, threads, erasures } = deps.collections;
    const threadIds: string[] = [];
    for (const mentions of damaged) {
      const source = aSourceThread({
        server: { _id: serverId },
        channel: { _id: channelId },
        thread: { title: 'Thanks, @evelyn' },
      });
      const threadId = source.thread._id;
      threadIds.push(threadId);
      await record(deps, source, [aSourceMessage({ _id: threadId, threadId })]);
      await build(deps, threadId);
      await messages.updateOne({ _id: threadId }, { $set: { mentions: mentions as never } });
    }
    await doAll(deps);
    const erasureId = await requestErasure(deps.collections, id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await erasures.findOne({ _id: erasureId })).to.have.property('finishedAt');
    const found = await threads.find({ _id: { $in: threadIds } }).toArray();
    for (const { title } of found) expect(title).to.match(/^Thanks, @?deleted-user$/);
    // Other tests must not read them.
    await messages.deleteMany({ threadId: { $in: threadIds } });
    await threads.deleteMany({ _id: { $in: threadIds } });
    await deps.collections.work.deleteMany({ subject: { $in: threadIds } });
  });

  it('succeeds in spite of a damaged message, and hides the thread of that message', async () => {
    const eve = anAuthor('evelyn', { id: '777777777777777710' });
    const sources = ['damaged', 'whole'].map(() =>
      aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } }),
    );
    const [damaged, whole] = sources.map(({ thread }) => thread._id) as [string, string];
    for (const source of sources) {
      const threadId = source.thread._id;
      await record(deps, source, [
        aSourceMessage({ _id: threadId, threadId }),
        aSourceMessage({ threadId, content: `Ask <@${eve.id}>` }),
      ]);
      await build(deps, threadId);
    }
    await doAll(deps);
    const { messages, erasures, bodies } = deps.collections;
    await messages.updateOne({ _id: damaged }, { $set: { author: null as never } });
    const erasureId = await requestErasure(deps.collections, eve.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await erasures.findOne({ _id: erasureId })).to.have.property('finishedAt');
    expect(
      await bodies.countDocuments({ _id: `thread/${damaged}`, gzip: { $exists: true } }),
    ).to.equal(0);
    expect(await bodies.countDocuments({ _id: `thread/${whole}` })).to.equal(1);
    expect(await tracesOf(eve)).to.deep.equal([]);
    await erasedTraces(deps.collections).then(async ({ inMessage }) => {
      const message = (await messages.findOne({ _id: damaged }))!;
      expect(inMessage(message)).to.deep.equal([]);
    });
    // Other tests must not read it.
    await messages.deleteMany({ threadId: damaged });
    await deps.collections.threads.deleteOne({ _id: damaged });
    await deps.collections.work.deleteMany({ subject: damaged });
  });

  it('keeps deletions and edits that happen meanwhile', async () => {
    const eve = anAuthor('evenote', { id: '777777777777777704' });
    const source = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
    const threadId = source.thread._id;
    const said = [threadId, anId(), anId()].map((_id) =>
      aSourceMessage({ _id, threadId, content: `Ask <@${eve.id}>` }),
    );
    const [deleted, edited] = said as [SourceMessage, SourceMessage];
    await record(deps, source, said);
    const erasureId = await requestErasure(deps.collections, eve.id);
    const edit = { ...edited, content: `Later words for <@${eve.id}>`, asOf: 90_000 };
    let raced = false;
    const late: IndexerDeps = {
      ...deps,
      // The message changes after it was read, and before it is cleaned.
      async commit(change) {
        if (!raced && change.reads.messages?.includes(deleted._id)) {
          raced = true;
          await deps.collections.messages.updateOne({ _id: deleted._id }, { $set: REDACTED });
          await record(deps, source, [edit]);
        }
        return deps.commit(change);
      },
    };
    await eraseUser(late, { erasureId }, REPORT_NOBODY);
    expect(raced).to.equal(true);
    const left = await deps.collections.messages.find({ threadId }).sort({ _id: 1 }).toArray();
    expect(left.map(({ content }) => content)).to.deep.equal([
      '',
      'Later words for @deleted-user',
      'Ask @deleted-user',
    ]);
    expect(left[0]).to.include({ deleted: true });
  });

  /** A progress report that stops the work which it is told of. */
  const cutOff = () => {
    throw new Error('The process ends');
  };
  const bodyOf = (threadId: string) =>
    readBody<ThreadDetail>(deps.collections, `thread/${threadId}`);
  /** Builds a thread in which Grace asked, and these people answered. */
  async function answeredBy(...people: AuthorSnapshot[]): Promise<string> {
    const source = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
    const threadId = source.thread._id;
    const answers = people.map((author) => aSourceMessage({ threadId, author, content: 'Answer' }));
    const question = aSourceMessage({ _id: threadId, threadId, author: anAuthor('grace') });
    await record(deps, source, [question, ...answers]);
    await build(deps, threadId);
    await doAll(deps);
    expect(await bodyOf(threadId)).to.include({ messageCount: people.length + 1 });
    return threadId;
  }

  it('is done only when nothing can be read any more that an earlier try had cleaned', async () => {
    const guest = anAuthor('guestwriter', { id: '777777777777777719' });
    await answeredBy(guest);
    const erasureId = await requestErasure(deps.collections, guest.id);
    const away = () => Promise.reject(new SearchUnavailable('The search index is away'));
    const cutOff = { ...deps, search: { write: away, remove: away } };
    const first = eraseUser(cutOff, { erasureId }, REPORT_NOBODY);
    expect(await first.catch(String)).to.include('is away');
    expect(await tracesOf(guest)).to.not.deep.equal([]);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await tracesOf(guest)).to.deep.equal([]);
  });

  it('builds a thread again whose build was under way at the request', async () => {
    const guest = anAuthor('guesttwo', { id: '777777777777777721' });
    const threadId = await answeredBy(guest);
    const { work } = deps.collections;
    await setMarks(deps, 'thread', [threadId]);
    let erasing: Promise<unknown> = Promise.resolve();
    const under = stalled(deps, async () => {
      const erasureId = await requestErasure(deps.collections, guest.id);
      erasing = eraseUser(deps, { erasureId }, REPORT_NOBODY);
      const asked = { subject: threadId, causes: { $exists: true } };
      await until(async () => (await work.countDocuments(asked)) > 0);
    });
    const [mark] = await claimMarks(deps, await work.find({ subject: threadId }).toArray());
    await runClaimed(under, 'thread', [mark!]);
    await erasing;
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
    expect(await tracesOf(guest)).to.deep.equal([]);
  });

  it('knows somebody by the name under which they used a command, and takes it out of embeds', async () => {
    const guest = anAuthor('guestcommand', { id: '777777777777777761' });
    const source = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
    const threadId = source.thread._id;
    const command = { id: anId(), name: 'ask', userId: guest.id, username: guest.username };
    await record(deps, source, [
      aSourceMessage({ _id: threadId, threadId, interaction: command }),
      aSourceMessage({ threadId, embeds: [anEmbed({ description: 'Asked by @guestcommand' })] }),
    ]);
    await doAll(deps);
    const erasureId = await requestErasure(deps.collections, guest.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    const { messages = [] } = (await bodyOf(threadId)) ?? {};
    expect(messages[1]?.embeds[0]).to.have.property('description', 'Asked by @deleted-user');
    expect(await tracesOf(guest)).to.deep.equal([]);
  });

  it('takes a name out of a title of which a build took everything else before it came by', async () => {
    const guest = anAuthor('guestseven', { id: '777777777777777727' });
    const place = { server: { _id: serverId }, channel: { _id: channelId } };
    const [thanks, monologue] = ['Thanks guestseven, solved', 'What I think'].map((title) =>
      aSourceThread({ ...place, thread: { title } }),
    ) as [Said['source'], Said['source']];
    const [threadId, alone] = [thanks.thread._id, monologue.thread._id];
    await record(deps, thanks, [
      aSourceMessage({ _id: threadId, threadId, author: anAuthor('grace') }),
      aSourceMessage({ threadId, author: guest, content: 'Answer' }),
    ]);
    await record(deps, monologue, [aSourceMessage({ _id: alone, threadId: alone, author: guest })]);
    await doAll(deps);
    expect(await bodyOf(threadId)).to.include({ title: thanks.thread.title, messageCount: 2 });
    const erasureId = await requestErasure(deps.collections, guest.id);
    await setMarks(deps, 'thread', [threadId, alone]);
    await doAll(deps);
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
    const erased = await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(erased).to.include({ threads: 2, removedThreads: 1 });
    expect(await bodyOf(threadId)).to.include({ title: 'Thanks deleted-user, solved' });
    expect(await tracesOf(guest)).to.deep.equal([]);
    expect(await deps.collections.threads.findOne({ _id: alone })).to.include({ title: '' });
    expect(await deps.collections.erasures.findOne({ _id: erasureId })).to.have.all.keys(
      '_id',
      'requestedAt',
      'finishedAt',
      'nameHashes',
    );
  });

  it('takes a name out of a title where a build has already removed only the starter', async () => {
    const guest = anAuthor('guestten', { id: '777777777777777741' });
    await answeredBy(guest);
    const source = aSourceThread({
      server: { _id: serverId },
      channel: { _id: channelId },
      thread: { title: 'Thanks guestten', ownerId: guest.id },
    });
    const threadId = source.thread._id;
    await record(deps, source, [aSourceMessage({ threadId, author: anAuthor('grace') })]);
    await doAll(deps);
    const erasureId = await requestErasure(deps.collections, guest.id);
    await setMarks(deps, 'thread', [threadId]);
    await doAll(deps);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await bodyOf(threadId)).to.include({ title: 'Thanks deleted-user' });
    expect(await tracesOf(guest)).to.deep.equal([]);
  });

  it('names nobody else as the author of a thread whose starter is not its earliest message', async () => {
    const guest = anAuthor('guesttwelve', { id: '777777777777777761' });
    const source = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
    const threadId = source.thread._id;
    const early = { author: anAuthor('grace'), createdAt: new Date('2020-01-01T00:00:00Z') };
    await record(deps, source, [
      aSourceMessage({ _id: threadId, threadId, author: guest }),
      aSourceMessage({ threadId, ...early }),
    ]);
    await doAll(deps);
    const erasureId = await requestErasure(deps.collections, guest.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await bodyOf(threadId)).to.have.nested.property('author.id', '0');
  });

  it('takes whoever wrote first for the author of a thread of which neither starter nor owner is told', async () => {
    const guest = anAuthor('guestfirst', { id: '777777777777777762' });
    const inTextChannel = async (title: string, ...answers: AuthorSnapshot[]) => {
      const source = aSourceThread({
        server: { _id: serverId },
        channel: { _id: channelId },
        thread: { title },
      });
      const threadId = source.thread._id;
      await record(deps, source, [
        aSourceMessage({ threadId, author: guest, type: THREAD_STARTER, content: '' }),
        aSourceMessage({ threadId, author: guest }),
        ...answers.map((author) => aSourceMessage({ threadId, author })),
      ]);
      return threadId;
    };
    const answered = await inTextChannel('Answered', anAuthor('grace'));
    const alone = await inTextChannel('Unanswered guestwords');
    await doAll(deps);
    expect(await bodyOf(answered)).to.have.nested.property('author.id', guest.id);
    const erasureId = await requestErasure(deps.collections, guest.id);
    const erased = await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(erased).to.include({ threads: 2, removedThreads: 1 });
    expect(await bodyOf(answered)).to.have.nested.property('author.id', '0');
    expect(await deps.collections.threads.findOne({ _id: alone })).to.include({ deleted: true });
    expect(await tracesOf(guest, 'guestwords')).to.deep.equal([]);
  });

  it('is done only when nothing can be read that another erasure cleaned meanwhile', async () => {
    const [one, two] = [anAuthor('guestfive', { id: '777777777777777722' }), anAuthor('two')];
    const threadId = await answeredBy(one, two);
    const erasureIds = [
      await requestErasure(deps.collections, one.id),
      await requestErasure(deps.collections, two.id),
    ];
    const first = eraseUser(deps, { erasureId: erasureIds[0]! }, cutOff);
    expect(await first.catch(String)).to.include('The process ends');
    await eraseUser(deps, { erasureId: erasureIds[1]! }, REPORT_NOBODY);
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
    await eraseUser(deps, { erasureId: erasureIds[0]! }, REPORT_NOBODY);
    expect(await tracesOf(one)).to.deep.equal([]);
  });

  it('is done only when nothing can be read that an import cleaned before', async () => {
    const guest = anAuthor('guestthree', { id: '777777777777777725' });
    const threadId = await answeredBy(guest);
    const theirs = deps.collections.messages.find({ threadId, 'author.id': guest.id });
    const said = (await theirs.toArray()) as SourceMessage[];
    const erasureId = await requestErasure(deps.collections, guest.id);
    const source = aSourceThread({
      server: { _id: serverId },
      channel: { _id: channelId },
      thread: { _id: threadId },
    });
    await record(
      deps,
      source,
      said.map((message) => ({ ...message, asOf: 5_000 })),
    );
    await deps.collections.work.deleteMany({});
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
  });

  it('is done only when nothing is shown elsewhere that a build cleaned before', async () => {
    const guest = anAuthor('guesteleven', { id: '777777777777777742' });
    const source = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
    const threadId = source.thread._id;
    await record(deps, source, [
      aSourceMessage({ _id: threadId, threadId, author: guest }),
      aSourceMessage({ threadId, author: anAuthor('hopper') }),
    ]);
    await doAll(deps);
    const erasureId = await requestErasure(deps.collections, guest.id);
    await setMarks(deps, 'thread', [threadId]);
    await build(deps, threadId);
    // The profile of the answering person still shows them, and is marked.
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await tracesOf(guest)).to.deep.equal([]);
  });

  it('is carried out even if its request was cut off before any process was told', async () => {
    const guest = anAuthor('guesttwelve', { id: '777777777777777743' });
    const threadId = await answeredBy(guest);
    const { version: since } = await erasedPeople(deps.collections);
    const _id = await erasureIdOf(deps.collections, guest.id);
    const asked = { userId: guest.id, requestedAt: new Date(), names: [guest.username], since };
    await deps.collections.erasures.insertOne({ _id, ...asked });
    await eraseUser(deps, { erasureId: _id }, REPORT_NOBODY);
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
    expect(await tracesOf(guest)).to.deep.equal([]);
  });

  it('tells the API processes last of the person, whose profile another worker may have removed without a word', async () => {
    const guest = anAuthor('guesttold', { id: '777777777777777781' });
    await answeredBy(guest);
    const told: unknown[] = [];
    const announceNow: typeof deps.announcer.announceNow = (change) => {
      told.push(change);
      return deps.announcer.announceNow(change);
    };
    const telling = { ...deps, announcer: { ...deps.announcer, announceNow } };
    const erasureId = await requestErasure(deps.collections, guest.id);
    await eraseUser(telling, { erasureId }, REPORT_NOBODY);
    expect(told).to.deep.equal([{ statistics: [serverId], users: [guest.id] }]);
  });

  it('counts from the request on, also in a process that learns of it at that moment', async () => {
    const guest = anAuthor('guestthirteen', { id: '777777777777777744' });
    const threadId = await answeredBy(guest);
    const { erasures } = deps.collections;
    const meanwhile = Object.create(erasures, {
      updateOne: {
        async value(...asked: Parameters<typeof erasures.updateOne>) {
          await erasedPeople(deps.collections);
          return erasures.updateOne(...asked);
        },
      },
    }) as typeof erasures;
    const collections = { ...deps.collections, erasures: meanwhile };
    const erasureId = await requestErasure(collections, guest.id);
    await setMarks(deps, 'thread', [threadId]);
    await build(deps, threadId);
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
  });

  it('takes a name out of a title where an import has already removed all other traces', async () => {
    const guest = anAuthor('guesteight', { id: '777777777777777728' });
    const place = { server: { _id: serverId }, channel: { _id: channelId } };
    const source = aSourceThread({ ...place, thread: { title: 'Thanks guesteight' } });
    const threadId = source.thread._id;
    const said = [
      aSourceMessage({ _id: threadId, threadId, author: anAuthor('grace') }),
      aSourceMessage({ threadId, author: guest, content: 'Answer' }),
    ];
    await record(deps, source, said);
    await doAll(deps);
    const erasureId = await requestErasure(deps.collections, guest.id);
    // The import tells a name of theirs other than the one in the title.
    const renamed = { ...guest, username: 'guestnine', displayName: 'guestnine' };
    const later = said.map((message) => ({
      ...message,
      asOf: 5_000,
      author: message.author === guest ? renamed : message.author,
    }));
    await record(deps, { ...source, asOf: 5_000 }, later);
    await doAll(deps);
    expect(await bodyOf(threadId)).to.include({ title: 'Thanks guesteight', messageCount: 1 });
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await bodyOf(threadId)).to.include({ title: 'Thanks deleted-user' });
    expect(await tracesOf(guest)).to.deep.equal([]);
  });

  it('hides a thread that cannot be built from everything that is read', async () => {
    const guest = anAuthor('guestfour', { id: '777777777777777723' });
    const threadId = await answeredBy(guest);
    const erasureId = await requestErasure(deps.collections, guest.id);
    const write = () => Promise.reject(new Error(`It breaks at ${guest.id}`));
    const broken = { ...deps, search: { ...deps.search, write } };
    await eraseUser(broken, { erasureId }, REPORT_NOBODY);
    expect(await bodyOf(threadId)).to.equal(null);
    expect(await tracesOf(guest)).to.deep.equal([]);
    const released = await retryQuarantined(deps, { quarantineId: `thread-${threadId}` });
    expect(released).to.deep.equal({ retried: 1 });
    await build(deps, threadId);
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
  });

  it('leaves a file that is being imported to its import, also when it is tried again', async () => {
    const source = aSourceThread({
      server: { _id: serverId },
      channel: { _id: channelId },
      thread: { ownerId: GONE.id },
    });
    const threadId = source.thread._id;
    await record(deps, source);
    const erasureId = await requestErasure(deps.collections, '777777777777777724');
    expect(await eraseUser(deps, { erasureId }, cutOff).catch(String)).to.include('process ends');
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    await record(deps, source, [
      aSourceMessage({ _id: threadId, threadId, author: GONE }),
      aSourceMessage({ threadId, author: anAuthor('grace') }),
    ]);
    await build(deps, threadId);
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
  });

  it('leaves a thread to the import that records it for the first time, in batches', async () => {
    const guest = anAuthor('guesttwicetold', { id: '777777777777777770' });
    const source = aSourceThread({
      server: { _id: serverId },
      channel: { _id: channelId },
      thread: { ownerId: guest.id },
    });
    const threadId = source.thread._id;
    const erasureId = await requestErasure(deps.collections, guest.id);
    async function* told() {
      yield [aSourceMessage({ _id: threadId, threadId, author: guest })];
      yield [aSourceMessage({ threadId, author: guest })];
      await eraseUser(deps, { erasureId }, REPORT_NOBODY);
      yield [aSourceMessage({ threadId, author: anAuthor('grace') })];
    }
    expect(await ingest(deps, { told: source }, told())).to.include({ isDeleted: false });
    await build(deps, threadId);
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
  });

  it('leaves a thread of theirs whose messages are still to be fetched', async () => {
    const guest = anAuthor('guestunread', { id: '777777777777777774' });
    const source = aSourceThread({ thread: { ownerId: guest.id } });
    const threadId = source.thread._id;
    const place = { serverId: source.server._id, channelId: source.channel._id };
    const counts = { messageCount: 1, totalSent: 1, lastMessageId: null, recent: '' };
    const unread = { ...NOTHING_FETCHED, ...counts, ...place, digest: '', asOf: 1 };
    await deps.collections.sync.insertOne({
      ...unread,
      _id: threadId,
      kind: 'thread',
      todo: 'new',
      token: 'a',
    });
    await record(deps, source);
    const erasureId = await requestErasure(deps.collections, guest.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    await record(deps, source, [
      aSourceMessage({ _id: threadId, threadId, author: guest }),
      aSourceMessage({ threadId, author: anAuthor('grace') }),
    ]);
    await doAll(deps);
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
    expect(await tracesOf(guest)).to.deep.equal([]);
  });

  it('leaves a thread in which somebody else answers just when it seems to be emptied', async () => {
    const guest = anAuthor('guestalone', { id: '777777777777777771' });
    const source = aSourceThread({ thread: { ownerId: guest.id } });
    const threadId = source.thread._id;
    await record(deps, source, [aSourceMessage({ _id: threadId, threadId, author: guest })]);
    await doAll(deps);
    const erasureId = await requestErasure(deps.collections, guest.id);
    const answer = aSourceMessage({ threadId, author: anAuthor('grace') });
    let isAnswered = false;
    const { messages } = deps.collections;
    const find = (...args: Parameters<typeof messages.find>) => {
      const cursor = messages.find(...args);
      const [which] = args;
      if (which.threadId !== threadId || which.counted !== true) return cursor;
      const first = cursor.next.bind(cursor);
      const next = async () => {
        const found = await first();
        if (!isAnswered) await record(anotherProcess(deps, stores), source, [answer]);
        isAnswered = true;
        return found;
      };
      return Object.assign(cursor, { next });
    };
    const watched = Object.create(messages, { find: { value: find } }) as typeof messages;
    const late = { ...deps, collections: { ...deps.collections, messages: watched } };
    await eraseUser(late, { erasureId }, REPORT_NOBODY);
    await doAll(deps);
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
    expect(await tracesOf(guest)).to.deep.equal([]);
  });

  it('takes the name out of the title of a thread that is recorded for the first time', async () => {
    const author = anAuthor('rosalind', { displayName: 'Rosalind of Arden' });
    const erasureId = await requestErasure(deps.collections, author.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    const source = aSourceThread({ thread: { title: 'Ask Rosalind of Arden!' } });
    const threadId = source.thread._id;
    const told = [
      aSourceMessage({ threadId, _id: threadId }),
      aSourceMessage({ threadId, author }),
    ];
    for (const asOf of [source.asOf, source.asOf + 1]) {
      await ingest(deps, { told: { ...source, asOf } }, inBatches(told, 1));
      expect((await deps.collections.threads.findOne({ _id: threadId }))?.title).to.equal(
        'Ask deleted-user!',
      );
    }
    await doAll(deps);
    const body = await readBody<ThreadDetail>(deps.collections, `thread/${threadId}`);
    expect(body?.title).to.equal('Ask deleted-user!');
  });

  it('takes the name under which they used a command out of the title of a thread that is recorded later', async () => {
    const asker = anAuthor('imogen', { id: '777777777777777763' });
    const erasureId = await requestErasure(deps.collections, asker.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    const source = aSourceThread({ thread: { title: 'A question of Imogen' } });
    const threadId = source.thread._id;
    const command = { id: anId(), name: 'ask', userId: asker.id, username: asker.username };
    await record(deps, source, [
      aSourceMessage({ _id: threadId, threadId, interaction: command, author: anAuthor('bot') }),
    ]);
    const { title } = (await deps.collections.threads.findOne({ _id: threadId }))!;
    expect(title).to.equal('A question of deleted-user');
  });

  it('reaches a name, a topic and a description where these are the only traces', async () => {
    const host = anAuthor('hostess', { id: '777777777777777705' });
    const told = [
      { server: { _id: anId(), description: `Ask <@${host.id}>` } },
      { server: { _id: anId() }, channel: { topic: `Ask <@${host.id}>` } },
      // Profiles show the names of servers.
      { server: { _id: anId(), name: `Of ${host.id}` } },
    ];
    for (const more of told) {
      const source = aSourceThread(more);
      const threadId = source.thread._id;
      await record(deps, source, [aSourceMessage({ _id: threadId, threadId })]);
      await build(deps, threadId);
    }
    await doAll(deps);
    const erasureId = await requestErasure(deps.collections, host.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    const left = (await everyTrace(stores)).filter((text) => text.includes(host.id));
    expect(left).to.deep.equal([]);
    const [first, second] = told.map(({ server }) => server._id);
    const server = await readBody<Server>(deps.collections, `server/${first}`);
    const list = await readBody<ChannelList>(deps.collections, `channels/${second}`);
    expect(server?.description).to.equal('Ask @deleted-user');
    expect(list?.channels.map(({ topic }) => topic)).to.deep.equal(['Ask @deleted-user']);
  });

  it('reaches names of servers and channels, tags, and what the sync has noted of them', async () => {
    const host = anAuthor('hostesstwo', { id: '777777777777777706' });
    const tag = { id: anId(), name: host.id, emoji: null, moderated: false };
    const channel = { name: `ticket-${host.id}`, parentName: `@${host.id}`, availableTags: [tag] };
    const source = aSourceThread({
      server: { name: `Of ${host.id}` },
      channel,
      thread: { appliedTags: [tag.id] },
    });
    const linking = aSourceThread();
    await record(deps, source, [aSourceMessage({ threadId: source.thread._id })]);
    const content = `See <#${source.channel._id}>`;
    await record(deps, linking, [aSourceMessage({ threadId: linking.thread._id, content })]);
    const note = { serverId: source.server._id, checkedAt: new Date(), problem: null };
    const { _id, name } = source.channel;
    await deps.collections.sync.insertOne({ _id, kind: 'channel', name, ...note });
    await doAll(deps);
    const erasureId = await requestErasure(deps.collections, host.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await tracesOf(host)).to.deep.equal([]);
    const body = await bodyOf(source.thread._id);
    expect(body).to.deep.include({ channelName: 'ticket-0', tags: ['0'] });
    await record(deps, { ...source, asOf: source.asOf + 1 });
    await doAll(deps);
    expect(await tracesOf(host)).to.deep.equal([]);
  });

  it('takes @Name out of a topic and a description, which do not tell whom they mention', async () => {
    const host = anAuthor('hostess', { displayName: 'Host Ess' });
    const server = { _id: anId(), description: 'Run by @hostess' };
    const source = aSourceThread({ server, channel: { topic: 'Ask @Host Ess, or @hostessa' } });
    const threadId = source.thread._id;
    const other = { _id: anId(), threadId };
    await record(deps, source, [aSourceMessage({ _id: threadId, threadId, author: host })]);
    await record(deps, source, [aSourceMessage(other)]);
    await doAll(deps);
    const erasureId = await requestErasure(deps.collections, host.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    const look = async () => [
      (await readBody<Server>(deps.collections, `server/${server._id}`))?.description,
      ...(await readBody<ChannelList>(deps.collections, `channels/${server._id}`))!.channels.map(
        ({ topic }) => topic,
      ),
    ];
    const clean = ['Run by @deleted-user', 'Ask @deleted-user, or @hostessa'];
    expect(await look()).to.deep.equal(clean);
    await record(deps, { ...source, asOf: source.asOf + 1 }, []);
    await doAll(deps);
    expect(await look()).to.deep.equal(clean);
  });

  it('takes a name out of a title where a message of theirs was being stored all the time', async () => {
    const guest = anAuthor('guestlate', { id: '777777777777777772' });
    const source = aSourceThread({ thread: { title: 'Thanks guestlate' } });
    const threadId = source.thread._id;
    await record(deps, source, [aSourceMessage({ _id: threadId, threadId })]);
    await doAll(deps);
    const { collections } = deps;
    const { messages } = collections;
    let isErased = false;
    const watched = Object.create(messages, {
      bulkWrite: {
        async value(...args: Parameters<typeof messages.bulkWrite>) {
          if (!isErased) {
            isErased = true;
            const erasureId = await requestErasure(collections, guest.id);
            await eraseUser(deps, { erasureId }, REPORT_NOBODY);
          }
          return messages.bulkWrite(...args);
        },
      },
    }) as typeof messages;
    const commit = createCommit(stores.mongo.client, { ...collections, messages: watched });
    await record({ ...deps, commit }, source, [aSourceMessage({ threadId, author: guest })]);
    await doAll(deps);
    expect(await bodyOf(threadId)).to.include({ title: 'Thanks deleted-user', messageCount: 1 });
    expect(await tracesOf(guest)).to.deep.equal([]);
  });

  it('never takes again a title that it removed during an import', async () => {
    // This is the first erasure of an archive. Before it, there is no key.
    const own = await openStores();
    try {
      const first = indexerDeps(own);
      const { source, messages } = wroteIn(1);
      await record(first, source, messages);
      await record(lateFor(GONE.id, first), { ...source, asOf: 90_000 });
      const stored = await first.collections.threads.findOne({ _id: source.thread._id });
      expect(stored?.title).to.equal('Question of deleted-user');
      expect(stored?.asOf).to.equal(90_000);
    } finally {
      await own.close();
    }
  });

  it('never takes again a title that it removed, after it has erased somebody else named by it', async () => {
    const [one, two] = [anAuthor('guestthree'), '777777777777777773'];
    const source = aSourceThread({ thread: { title: `Guestthree asks <@${two}>` } });
    const threadId = source.thread._id;
    await record(deps, source, [
      aSourceMessage({ _id: threadId, threadId, author: anAuthor('grace') }),
      aSourceMessage({ threadId, author: one }),
    ]);
    for (const userId of [one.id, two]) {
      const erasureId = await requestErasure(deps.collections, userId);
      await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    }
    await record(deps, { ...source, asOf: 90_000 });
    await doAll(deps);
    expect(await bodyOf(threadId)).to.have.property('title', 'deleted-user asks @deleted-user');
  });

  it('leaves nothing that a process stores late after it had counted them', async () => {
    const { work } = deps.collections;
    const counted = anAuthor('guestsix', { id: '777777777777777707' });
    await answeredBy(counted);
    await setMarks(deps, 'person', [counted.id]);
    const own = await work.find({ subject: counted.id }).toArray();
    const late = lateFor(counted.id);
    const slow: IndexerDeps = {
      ...deps,
      async commit(change) {
        await endLeases(deps, counted.id);
        return late.commit(change);
      },
    };
    await buildPeople(slow, await claimMarks(deps, own));
    expect(await tracesOf(counted)).to.deep.equal([]);
  });

  it('reads few threads at a time, however many the person is in', async () => {
    const busy = anAuthor('busy', { id: '777777777777777708' });
    const { messages, threads, erasures } = deps.collections;
    const said = Array.from({ length: 1_100 }, () => aMessage({ content: `Ask <@${busy.id}>` }));
    await messages.insertMany(said);
    await threads.insertMany(said.map(({ threadId }) => aThread({ _id: threadId })));
    const asked: number[] = [];
    const watched = Object.create(threads, {
      distinct: {
        value(field: string, filter: { _id: { $in: string[] } }) {
          asked.push(filter._id.$in.length);
          return threads.distinct(field, filter);
        },
      },
    }) as typeof threads;
    const collections = { ...deps.collections, threads: watched };
    const _id = await requestErasure(deps.collections, busy.id);
    const erasure = (await erasures.findOne({ _id }))!;
    const found = await findTraces({ ...deps, collections }, erasure, REPORT_NOBODY);
    expect(found).to.include({ messages: said.length, removedMessages: 0 });
    expect(asked).to.deep.equal([1_000, 100]);
    await messages.deleteMany({ _id: { $in: said.map(({ _id }) => _id) } });
    await threads.deleteMany({ _id: { $in: said.map(({ threadId }) => threadId) } });
  });

  it('counts a notice of a new title, which every erasure empties, only where it is theirs', async () => {
    const renamer = anAuthor('renamer', { id: '777777777777777710' });
    const { messages, erasures } = deps.collections;
    const notice = { type: TITLE_CHANGE, counted: false, content: 'Changed the channel name: Tea' };
    const said = [
      aMessage(notice),
      aMessage({ ...notice, author: renamer }),
      aMessage({ ...notice, mentions: [renamer] }),
    ];
    await messages.insertMany(said);
    const _id = await requestErasure(deps.collections, renamer.id);
    const erasure = (await erasures.findOne({ _id }))!;
    const found = await findTraces(deps, erasure, REPORT_NOBODY);
    expect(found).to.include({ messages: 2, removedMessages: 1 });
    expect(found.threadIds).to.include.members(said.map(({ threadId }) => threadId));
    await messages.deleteMany({ _id: { $in: said.map((one) => one._id) } });
  });

  it('holds few messages at a time where they are large', async () => {
    const { messages, erasures } = deps.collections;
    const content = 'x'.repeat(1_000_000);
    const large = Array.from({ length: 24 }, () => aMessage({ content }));
    await messages.insertMany(large);
    const _id = await requestErasure(deps.collections, '777777777777777709');
    const erasure = (await erasures.findOne({ _id }))!;
    const reported: number[] = [];
    await findTraces(deps, erasure, (done) => reported.push(done));
    await messages.deleteMany({ _id: { $in: large.map((one) => one._id) } });
    await erasures.deleteOne({ _id });
    // Of a million characters each, five are more than a batch may hold.
    expect(reported).to.have.length.above(large.length / 5);
  });

  it('takes a title that named them out of threads that link to it', async () => {
    const named = anAuthor('namedone', { id: '777777777777777720' });
    const linking = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
    const source = aSourceThread({
      server: { _id: serverId },
      channel: { _id: channelId },
      thread: { title: 'Question of Namedone' },
    });
    const threadId = source.thread._id;
    const other = linking.thread._id;
    await record(deps, source, [
      aSourceMessage({ threadId, author: named }),
      aSourceMessage({ threadId }),
    ]);
    await record(deps, linking, [
      aSourceMessage({ threadId: other, content: `See <#${threadId}>` }),
    ]);
    await build(deps, threadId);
    await build(deps, other);
    const shown = async () =>
      (await readBody<ThreadDetail>(deps.collections, `thread/${other}`))!.messages[0]!.contentHtml;
    expect(await shown()).to.include('#Question of Namedone');
    const erasureId = await requestErasure(deps.collections, named.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await shown()).to.include('#Question of deleted-user');
  });

  it('takes a title that named them out of the notice about it', async () => {
    const named = anAuthor('renamed', { id: '777777777777777771' });
    const source = aSourceThread({ thread: { title: 'Question of Renamed' } });
    const threadId = source.thread._id;
    const messages = [
      aSourceMessage({ _id: threadId, threadId }),
      aSourceMessage({ threadId, type: 4, counted: false, content: 'Question of Renamed' }),
      aSourceMessage({ threadId, author: named }),
    ];
    await record(deps, source, messages);
    await build(deps, threadId);
    const erasureId = await requestErasure(deps.collections, named.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await tracesOf(named)).to.deep.equal([]);
    await record(deps, source, messages);
    await doAll(deps);
    expect(await tracesOf(named)).to.deep.equal([]);
  });

  it('empties messages that forward theirs', async () => {
    const speaker = anAuthor('speaker', { id: '777777777777777703' });
    const source = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
    const threadId = source.thread._id;
    const original = aSourceMessage({ threadId, author: speaker, content: 'Forwardable words' });
    const forwarding = aForward(original, { threadId, author: anAuthor('linus') });
    await record(deps, source, [original, forwarding]);
    await build(deps, threadId);
    const erasureId = await requestErasure(deps.collections, speaker.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    await record(deps, { ...source, asOf: 90_000 }, [original, { ...forwarding, asOf: 90_000 }]);
    await build(deps, threadId);
    await stores.refreshSearch();
    const left = (await everyTrace(stores)).filter((text) => /forwardable/i.test(text));
    expect(left).to.deep.equal([]);
  });

  it('finds every search document in the archive', async () => {
    const { count } = await stores.elasticsearch.count({
      index: searchAlias(stores.mongo.namespace),
    });
    expect(count).to.be.above(WROTE_IN);
  });
});
