import { expect } from 'chai';
import type { ChannelList, Server, ServerStats } from '../../../shared/contract/servers.js';
import type { ThreadDetail } from '../../../shared/contract/threads.js';
import { erasedPeople, requestErasure } from '../../../shared/store/erasures.js';
import { searchAlias } from '../../../shared/store/searchIndex.js';
import type { AuthorSnapshot, SourceMessage, SourceThread } from '../../../shared/store/records.js';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import { deleteMessage } from '../../../services/indexer/jobs/deleteMessage.js';
import { eraseUser } from '../../../services/indexer/jobs/eraseUser.js';
import { projectThread } from '../../../services/indexer/project/projectThread.js';
import { applyErasures } from '../../../services/indexer/records/applyErasures.js';
import { applyMessages } from '../../../services/indexer/records/applyMessages.js';
import { applySource } from '../../../services/indexer/records/applySource.js';
import { isNewer } from '../../../services/indexer/records/messageOrder.js';
import { removeIfEmptied } from '../../../services/indexer/records/removeIfEmptied.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import {
  dirtyMember,
  dirtyServer,
  dirtyUser,
  markDirty,
} from '../../../services/indexer/stores/dirtyMarks.js';
import { forgetPeople } from '../../../services/indexer/stores/forgetPeople.js';
import {
  aMessage,
  aSourceMessage,
  aSourceThread,
  aThread,
  anAuthor,
  anId,
} from '../../support/factories.js';
import { indexerDeps, record, refreshAll } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { openStores, type TestStores } from '../../support/stores.js';
import { everyTrace } from '../../support/everyTrace.js';

const GONE = anAuthor('zyxwvuts', { id: '777777777777777701', displayName: 'Zyx Wvuts' });
const TRACES = /777777777777777701|zyxwvuts|zyx wvuts|secretword/i;
/** Each kind of thread some times; test/integration/archive/erasure.test.ts has hundreds. */
const WROTE_IN = 102;
const MENTIONED_IN = 20;
const BATCH = 50;

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

/** A thread they started alone, one they started and others answered in, or one they answered in. */
function wroteIn(n: number): Said {
  const source = aSourceThread({
    server: { _id: serverId },
    channel: { _id: channelId },
    thread: { title: n % 50 === 1 ? 'Question of Zyx Wvuts' : `Question ${n}` },
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

/** A bulkWrite before whose first run something happens. */
function once<T extends { bulkWrite: (...args: never[]) => unknown }>(
  collection: T,
  happens: () => Promise<void>,
): (...args: Parameters<T['bulkWrite']>) => Promise<unknown> {
  let isOver = false;
  return async (...args) => {
    if (!isOver) {
      isOver = true;
      await happens();
    }
    return collection.bulkWrite(...args);
  };
}

describe('erasing a person', () => {
  let stores: TestStores;
  let deps: IndexerDeps;
  let archive: Said[];
  let result: unknown;

  const importAll = async () => {
    for (let start = 0; start < archive.length; start += BATCH) {
      await Promise.all(
        archive.slice(start, start + BATCH).map(async ({ source, messages }) => {
          await record(deps, source, messages);
          await removeIfEmptied(deps.collections, [source.thread._id]);
          await projectThread(deps, source.thread._id);
        }),
      );
    }
    await refreshAll(deps);
    await stores.refreshSearch();
  };
  const stats = async () =>
    (await readBody<ServerStats>(deps.collections, `stats/${serverId}`))?.stats;

  before(async () => {
    stores = await openStores();
    deps = indexerDeps(stores);
    archive = [
      ...Array.from({ length: WROTE_IN }, (_, n) => wroteIn(n)),
      ...Array.from({ length: MENTIONED_IN }, (_, n) => mentionsThem(n)),
    ];
    await importAll();
    expect((await everyTrace(stores)).filter((text) => TRACES.test(text))).to.have.length.above(
      WROTE_IN + MENTIONED_IN,
    );
    const erasureId = await requestErasure(deps.collections, GONE.id);
    result = await eraseUser(deps, { erasureId }, REPORT_NOBODY);
  });
  after(() => stores.close());

  it('leaves no id, name or word in any collection, search document or Redis key', async () => {
    expect(result).to.deep.equal({
      threads: WROTE_IN + MENTIONED_IN,
      messages: WROTE_IN + MENTIONED_IN,
      removedMessages: WROTE_IN,
      // In every third of them nobody else wrote.
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

  it('counts what is left as a recount does', async () => {
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

  it('brings nothing back when the same is imported again', async () => {
    const before = await stats();
    await importAll();
    expect((await everyTrace(stores)).filter((text) => TRACES.test(text))).to.deep.equal([]);
    expect(await stats()).to.deep.equal(before);
  });

  it('takes nothing of a later source either', async () => {
    const later = { ...wroteIn(2) };
    const threadId = later.source.thread._id;
    await record(deps, { ...later.source, asOf: 90_000 }, later.messages);
    const renamed = { ...archive[1]!, source: { ...archive[1]!.source, asOf: 90_000 } };
    await record(deps, renamed.source, renamed.messages);
    await projectThread(deps, threadId);
    await projectThread(deps, renamed.source.thread._id);
    await refreshAll(deps);
    await stores.refreshSearch();
    expect((await everyTrace(stores)).filter((text) => TRACES.test(text))).to.deep.equal([]);
  });

  it('finds what an import wrote that had begun before the erasure', async () => {
    const racer = anAuthor('racerx', { id: '777777777777777702', displayName: 'Racer X' });
    const source = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
    const threadId = source.thread._id;
    await record(deps, source, [aSourceMessage({ _id: threadId, threadId })]);
    const { messages } = deps.collections;
    let raced = false;
    const interleaved = Object.create(messages, {
      bulkWrite: {
        value: async (...args: Parameters<typeof messages.bulkWrite>) => {
          if (!raced) {
            raced = true;
            const erasureId = await requestErasure(deps.collections, racer.id);
            await eraseUser(deps, { erasureId }, REPORT_NOBODY);
          }
          return messages.bulkWrite(...args);
        },
      },
    }) as typeof messages;
    await applyMessages({ ...deps.collections, messages: interleaved }, threadId, [
      aSourceMessage({ threadId, author: racer, content: 'Racing words' }),
    ]);
    await projectThread(deps, threadId);
    await refreshAll(deps);
    expect(raced).to.equal(true);
    await stores.refreshSearch();
    const left = (await everyTrace(stores)).filter((text) =>
      /777777777777777702|racerx|racer x|racing words/i.test(text),
    );
    expect(left).to.deep.equal([]);
  });

  it('keeps what was deleted or edited between its reading and its writing', async () => {
    const eve = anAuthor('evenote', { id: '777777777777777704' });
    const source = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
    const threadId = source.thread._id;
    const said = [threadId, anId(), anId()].map((_id) =>
      aSourceMessage({ _id, threadId, content: `Ask <@${eve.id}>` }),
    );
    const [deleted, edited, late] = said as [SourceMessage, SourceMessage, SourceMessage];
    await record(deps, source, said);
    const erasureId = await requestErasure(deps.collections, eve.id);
    const { messages } = deps.collections;
    const clean = applyErasures(edited, await erasedPeople(deps.collections));
    const edit = Array.from({ length: 100 }, (_, n) => ({ ...edited, content: `Edit ${n}` })).find(
      (one) => isNewer(one, clean),
    )!;
    const racing = Object.create(messages, {
      bulkWrite: {
        value: once(messages, async () => {
          await deleteMessage(deps, { messageId: deleted._id });
          await applyMessages(deps.collections, threadId, [edit]);
          // As an import that does not know of the erasure yet.
          const words = { content: `Later words for <@${eve.id}>`, asOf: 90_000 };
          await messages.updateOne({ _id: late._id }, { $set: words });
        }),
      },
    }) as typeof messages;
    const collections = { ...deps.collections, messages: racing };
    await eraseUser({ ...deps, collections }, { erasureId }, REPORT_NOBODY);
    const left = await messages.find({ threadId }).sort({ _id: 1 }).toArray();
    expect(left.map(({ content }) => content)).to.deep.equal([
      ...['', edit.content, 'Later words for @deleted-user'],
    ]);
    expect(left[0]).to.include({ deleted: true });
  });

  it('is done only when what an earlier try had cleaned can be read nowhere', async () => {
    const guest = anAuthor('guestwriter', { id: '777777777777777719' });
    const source = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
    const threadId = source.thread._id;
    await record(deps, source, [
      aSourceMessage({ _id: threadId, threadId, content: 'What others said' }),
      aSourceMessage({ threadId, author: guest, content: 'Guestly words' }),
    ]);
    await projectThread(deps, threadId);
    await refreshAll(deps);
    const erasureId = await requestErasure(deps.collections, guest.id);
    const away = () => Promise.reject(new Error('The search index cannot be reached'));
    const cutOff = { ...deps, search: { write: away, remove: away } };
    const error = await eraseUser(cutOff, { erasureId }, REPORT_NOBODY).then(
      () => 'done',
      (thrown: unknown) => String(thrown),
    );
    expect(error).to.include(threadId);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    const left = (await everyTrace(stores)).filter((text) =>
      /777777777777777719|guestwriter|guestly/i.test(text),
    );
    expect(left).to.deep.equal([]);
  });

  /** A report that ends the work it is told of. */
  const cutOff = () => {
    throw new Error('The process ends');
  };
  const bodyOf = (threadId: string) =>
    readBody<ThreadDetail>(deps.collections, `thread/${threadId}`);
  /** A thread that is built: Grace asked, and these people answered. */
  async function answeredBy(...people: AuthorSnapshot[]): Promise<string> {
    const source = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
    const threadId = source.thread._id;
    const answers = people.map((author) => aSourceMessage({ threadId, author, content: 'Answer' }));
    const question = aSourceMessage({ _id: threadId, threadId, author: anAuthor('grace') });
    await record(deps, source, [question, ...answers]);
    await projectThread(deps, threadId);
    expect(await bodyOf(threadId)).to.include({ messageCount: people.length + 1 });
    return threadId;
  }

  it('builds again what was built while an earlier try was changing it', async () => {
    const guest = anAuthor('guesttwo', { id: '777777777777777721' });
    const threadId = await answeredBy(guest);
    const { messages } = deps.collections;
    const racing = Object.create(messages, {
      bulkWrite: {
        value: async (...args: Parameters<typeof messages.bulkWrite>) => {
          await projectThread(deps, threadId);
          await messages.bulkWrite(...args);
          cutOff();
        },
      },
    }) as typeof messages;
    const collections = { ...deps.collections, messages: racing };
    const erasureId = await requestErasure(deps.collections, guest.id);
    const first = eraseUser({ ...deps, collections }, { erasureId }, REPORT_NOBODY);
    expect(await first.catch(String)).to.include('The process ends');
    expect(await bodyOf(threadId)).to.include({ messageCount: 2 });
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
  });

  it('is done only when what another erasure cleaned on its way can be read nowhere', async () => {
    const [one, two] = [anAuthor('one', { id: '777777777777777722' }), anAuthor('two')];
    const threadId = await answeredBy(one, two);
    const erasureIds = [
      await requestErasure(deps.collections, one.id),
      await requestErasure(deps.collections, two.id),
    ];
    const first = eraseUser(deps, { erasureId: erasureIds[0]! }, cutOff);
    expect(await first.catch(String)).to.include('The process ends');
    await eraseUser(deps, { erasureId: erasureIds[1]! }, REPORT_NOBODY);
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
    const marked = { _id: threadId, erasing: { $exists: true } };
    expect((await deps.collections.threads.findOne(marked))?.erasing).to.deep.equal([
      erasureIds[0],
    ]);
    await eraseUser(deps, { erasureId: erasureIds[0]! }, REPORT_NOBODY);
    expect(await deps.collections.threads.findOne(marked)).to.equal(null);
  });

  it('is done only when what an import cleaned before it came by can be read nowhere', async () => {
    const guest = anAuthor('guestthree', { id: '777777777777777725' });
    const threadId = await answeredBy(guest);
    const theirs = deps.collections.messages.find({ threadId, 'author.id': guest.id });
    const [told] = (await theirs.toArray()) as SourceMessage[];
    const erasureId = await requestErasure(deps.collections, guest.id);
    await applyMessages(deps.collections, threadId, [told!]);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
  });

  it('removes what an earlier try had emptied, though it was set aside since', async () => {
    const loner = anAuthor('loner', { id: '777777777777777723' });
    const source = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
    const threadId = source.thread._id;
    await record(deps, source, [aSourceMessage({ _id: threadId, threadId, author: loner })]);
    await projectThread(deps, threadId);
    const erasureId = await requestErasure(deps.collections, loner.id);
    const away = () => Promise.reject(new Error('The search index cannot be reached'));
    const first = eraseUser(
      { ...deps, search: { write: away, remove: away } },
      { erasureId },
      REPORT_NOBODY,
    );
    expect(await first.catch(String)).to.include(threadId);
    const { threads } = deps.collections;
    expect(await threads.findOne({ _id: threadId })).to.include({ deleted: true });
    const aside = { $set: { tries: 5 }, $unset: { pending: '', pendingAt: '' } } as const;
    await threads.updateOne({ _id: threadId }, aside);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    const left = (await everyTrace(stores)).filter((text) => /loner/i.test(text));
    expect(left).to.deep.equal([]);
  });

  it('leaves what is being imported to its import, also when it is tried again', async () => {
    const source = aSourceThread({
      server: { _id: serverId },
      channel: { _id: channelId },
      thread: { ownerId: GONE.id },
    });
    const threadId = source.thread._id;
    await applySource(deps.collections, source);
    const erasureId = await requestErasure(deps.collections, '777777777777777724');
    expect(await eraseUser(deps, { erasureId }, cutOff).catch(String)).to.include('process ends');
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    await applyMessages(deps.collections, threadId, [
      aSourceMessage({ _id: threadId, threadId, author: GONE }),
      aSourceMessage({ threadId, author: anAuthor('grace') }),
    ]);
    await projectThread(deps, threadId);
    expect(await bodyOf(threadId)).to.include({ messageCount: 1 });
  });

  it('reaches a topic and a description where nothing else is of them', async () => {
    const host = anAuthor('hostess', { id: '777777777777777705' });
    const told = [
      { server: { _id: anId(), description: `Ask <@${host.id}>` } },
      { server: { _id: anId() }, channel: { topic: `Ask <@${host.id}>` } },
    ];
    for (const more of told) {
      const source = aSourceThread(more);
      const threadId = source.thread._id;
      await record(deps, source, [aSourceMessage({ _id: threadId, threadId })]);
      await projectThread(deps, threadId);
    }
    await markDirty(
      deps.collections.dirty,
      told.map(({ server }) => dirtyServer(server._id)),
    );
    await refreshAll(deps);
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

  describe('and texts of a source at the same time', () => {
    const owner = anAuthor('owner', { id: '777777777777777706' });
    const address = `https://example.org/${owner.id}`;
    const aSource = () =>
      aSourceThread({
        server: { description: address },
        channel: { topic: address },
        thread: { title: address, ownerId: owner.id },
      });
    const textsOf = async ({ server, channel, thread }: Said['source']) => {
      const { servers, channels, threads } = deps.collections;
      const stored = await threads.findOne({ _id: thread._id });
      return [
        (await servers.findOne({ _id: server._id }))?.description,
        (await channels.findOne({ _id: channel._id }))?.topic,
        ...[stored?.title, stored?.ownerId],
      ];
    };
    const cleaned = ['[deleted]', '[deleted]', '[deleted]', '0'];

    it('cleans what an import writes that had begun before', async () => {
      const source = aSource();
      const { servers } = deps.collections;
      const racing = Object.create(servers, {
        bulkWrite: {
          value: once(servers, async () => {
            const erasureId = await requestErasure(deps.collections, owner.id);
            await eraseUser(deps, { erasureId }, REPORT_NOBODY);
          }),
        },
      }) as typeof servers;
      const applied = await applySource({ ...deps.collections, servers: racing }, source);
      expect(await textsOf(source)).to.deep.equal(cleaned);
      expect(applied.thread?.changed).to.equal(true);
      expect(applied.server).to.include({ changes: 2, spread: 0 });
      expect(applied.channel).to.include({ changes: 2, spread: 0 });
    });

    it('cleans what an import wrote that was cut off then, when it comes again', async () => {
      const source = aSource();
      await applySource(deps.collections, source);
      await deps.collections.threads.updateOne(
        { _id: source.thread._id },
        { $set: { ...source.thread }, $unset: { pending: '', pendingAt: '' } },
      );
      await deps.collections.servers.updateOne(
        { _id: source.server._id },
        { $set: { description: address } },
      );
      await deps.collections.channels.updateOne(
        { _id: source.channel._id },
        { $set: { topic: address } },
      );
      await applySource(deps.collections, source);
      expect(await textsOf(source)).to.deep.equal(cleaned);
      expect(await deps.collections.threads.findOne({ _id: source.thread._id })).to.have.property(
        'pending',
      );
    });
  });

  it('takes no title again that it took away while an import was under way', async () => {
    // The first erasure of an archive: before, there is no key.
    const own = await openStores();
    try {
      const first = indexerDeps(own);
      const { source, messages } = wroteIn(1);
      await record(first, source, messages);
      const { threads } = first.collections;
      const updateOne = async (...args: Parameters<typeof threads.updateOne>) => {
        if (!(await first.collections.erasureState.findOne())) {
          const erasureId = await requestErasure(first.collections, GONE.id);
          await eraseUser(first, { erasureId }, REPORT_NOBODY);
        }
        return threads.updateOne(...args);
      };
      const racing = Object.create(threads, {
        updateOne: { value: updateOne },
      }) as typeof threads;
      await applySource({ ...first.collections, threads: racing }, { ...source, asOf: 90_000 });
      const stored = await threads.findOne({ _id: source.thread._id });
      expect(stored?.title).to.equal('Question of deleted-user');
      expect(stored?.asOf).to.equal(90_000);
    } finally {
      await own.close();
    }
  });

  it('finds by its mark what a counting process wrote of them before it was killed', async () => {
    const { collections } = deps;
    const counted = anAuthor('counted', { id: '777777777777777707' });
    const source = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
    const threadId = source.thread._id;
    await record(deps, source, [aSourceMessage({ _id: threadId, threadId, author: counted })]);
    await projectThread(deps, threadId);
    await refreshAll(deps);
    const member = (await collections.members.findOne({ userId: counted.id }))!;
    const ranks = await collections.ranks.find({ member: member._id }).toArray();
    const traces = async () =>
      (await everyTrace(stores)).filter((text) => text.includes(counted.id));
    const erasureId = await requestErasure(collections, counted.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await traces()).to.deep.equal([]);

    for (const mark of [dirtyUser(counted.id), dirtyMember(serverId, counted.id)]) {
      await markDirty(collections.dirty, [mark]);
      await forgetPeople(collections, [counted.id]);
      await collections.members.insertOne(member);
      await collections.ranks.insertMany(ranks);
      await refreshAll(deps);
      await stores.refreshSearch();
      expect(await traces(), mark).to.deep.equal([]);
    }
  });

  it('asks for few threads at a time, however many they are in', async () => {
    const busy = anAuthor('busy', { id: '777777777777777708' });
    const { messages, threads } = deps.collections;
    const said = Array.from({ length: 1_100 }, () => aMessage({ content: `Ask <@${busy.id}>` }));
    await messages.insertMany(said);
    await threads.insertMany(said.map(({ threadId }) => aThread({ _id: threadId })));
    let most = 0;
    const note = (key: string, value: unknown): unknown => {
      if (key === '$in') most = Math.max(most, (value as unknown[]).length);
      return value;
    };
    const watched = Object.create(threads, {
      find: {
        value: (...args: Parameters<typeof threads.find>) => {
          const asked = JSON.stringify(args, note);
          // They need not be built for this.
          const isBuilding = asked.includes('"pending":{"$exists":true}');
          return isBuilding ? threads.find({ _id: '' }) : threads.find(...args);
        },
      },
      distinct: {
        value: (field: string, filter: object) => {
          JSON.stringify(filter, note);
          return threads.distinct(field, filter);
        },
      },
    }) as typeof threads;
    const collections = { ...deps.collections, threads: watched };
    const erasureId = await requestErasure(deps.collections, busy.id);
    const ended = await eraseUser({ ...deps, collections }, { erasureId }, REPORT_NOBODY);
    expect(ended).to.include({ threads: said.length, messages: said.length });
    expect(most).to.equal(1_000);
    await messages.deleteMany({ _id: { $in: said.map(({ _id }) => _id) } });
    await threads.deleteMany({ _id: { $in: said.map(({ threadId }) => threadId) } });
  });

  it('takes a title that named them out of what links to it', async () => {
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
    await projectThread(deps, threadId);
    await projectThread(deps, other);
    const shown = async () =>
      (await readBody<ThreadDetail>(deps.collections, `thread/${other}`))!.messages[0]!.contentHtml;
    expect(await shown()).to.include('#Question of Namedone');
    const erasureId = await requestErasure(deps.collections, named.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    expect(await shown()).to.include('#Question of deleted-user');
  });

  it('empties what forwards their words', async () => {
    const speaker = anAuthor('speaker', { id: '777777777777777703' });
    const source = aSourceThread({ server: { _id: serverId }, channel: { _id: channelId } });
    const threadId = source.thread._id;
    const original = aSourceMessage({ threadId, author: speaker, content: 'Forwardable words' });
    const forwarding = aSourceMessage({
      threadId,
      author: anAuthor('linus'),
      content: '',
      reference: { type: 'forward', messageId: original._id, channelId: threadId, guildId: null },
      forwarded: {
        ...{ content: 'Forwardable words', createdAt: null, editedAt: null },
        ...{ attachments: [], embeds: [], stickers: [] },
      },
    });
    await record(deps, source, [original, forwarding]);
    await projectThread(deps, threadId);
    const erasureId = await requestErasure(deps.collections, speaker.id);
    await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    await record(deps, { ...source, asOf: 90_000 }, [original, { ...forwarding, asOf: 90_000 }]);
    await projectThread(deps, threadId);
    await stores.refreshSearch();
    const left = (await everyTrace(stores)).filter((text) => /forwardable/i.test(text));
    expect(left).to.deep.equal([]);
  });

  it('finds every search document by its archive', async () => {
    const { count } = await stores.elasticsearch.count({
      index: searchAlias(stores.mongo.namespace),
    });
    expect(count).to.be.above(WROTE_IN);
  });
});
