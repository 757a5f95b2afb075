import { once, setMaxListeners } from 'node:events';
import { expect } from 'chai';
import { MongoNetworkError } from 'mongodb';
import { recordThreadDeletion } from '../../../services/indexer/jobs/deleteThread.js';
import { fetchThread } from '../../../services/indexer/sync/fetchThread.js';
import { fetchThreads } from '../../../services/indexer/sync/fetchThreads.js';
import { loadServer } from '../../../services/indexer/sync/loadServer.js';
import { noteThreads } from '../../../services/indexer/sync/noteThreads.js';
import { readOnceMore } from '../../../services/indexer/sync/repairThreads.js';
import type { LoadedServer, SyncDeps } from '../../../services/indexer/sync/syncDeps.js';
import {
  PlatformAnswerError,
  PlatformAway,
  PlatformForbidden,
  PlatformRefused,
} from '../../../shared/discordApi/platformErrors.js';
import type { LiveMessage, LiveThread } from '../../../shared/discordApi/answerTypes.js';
import type { PlatformClient, PlatformRequest } from '../../../shared/discordApi/platformClient.js';
import { idKey } from '../../../shared/store/listKeys.js';
import { NOTHING_FETCHED, syncOf, type SyncThread } from '../../../shared/store/syncRecords.js';
import { until } from '../../support/apiServer.js';
import {
  anAnsweredServer,
  answeringPlatform,
  hide,
  syncDeps,
} from '../../support/answeringPlatform.js';
import {
  aMessage,
  anId,
  aSourceMessage,
  aSourceThread,
  aThread as aThreadRecord,
} from '../../support/factories.js';
import { record } from '../../support/indexerDeps.js';
import { aLiveMessage, aLivePost, aLiveThread, aLiveUser } from '../../support/liveAnswers.js';
import { readsOfEach } from '../../support/readsOfEach.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('fetching threads', () => {
  const { stores, deps } = indexerSuite('emptied');
  const place = { serverId: anId(), channelId: anId() };

  const aThread = (more: Partial<SyncThread> = {}): SyncThread => {
    const _id = anId();
    return {
      _id,
      kind: 'thread',
      ...place,
      digest: '',
      asOf: 1,
      todo: 'new',
      messageCount: 0,
      totalSent: 0,
      lastMessageId: null,
      recent: idKey(_id),
      ...NOTHING_FETCHED,
      ...more,
    };
  };

  /** The servers with one archived forum, that of the threads. */
  const servers = (): SyncDeps['servers'] => {
    const server = {
      ...place,
      channels: new Map([[place.channelId, {}]]),
      optOutRoles: new Set(),
    };
    return new Map([[place.serverId, server as unknown as LoadedServer]]);
  };

  /** Fetches threads from a platform with these answers, until a condition holds. */
  async function fetchUntil(
    more: Pick<SyncDeps, 'platform'> & Partial<SyncDeps>,
    stopped: AbortController,
    isDone: () => boolean | Promise<boolean>,
  ): Promise<void> {
    // Every request under way listens to the signal.
    setMaxListeners(0, stopped.signal);
    const own = { ...deps, signal: stopped.signal, servers: servers(), ...more };
    const fetching = fetchThreads(own as unknown as SyncDeps);
    try {
      await until(isDone);
    } finally {
      stopped.abort();
      await fetching;
    }
  }

  /** Fetches a thread that the platform says was deleted. Resolves with the deletions that are to be carried out. */
  async function fetchGone(): Promise<unknown[]> {
    const removed: unknown[] = [];
    const removals: SyncDeps['removals'] = {
      add: (recorded) => void removed.push(recorded),
      end: () => Promise.resolve(),
    };
    const get = () => Promise.reject(new PlatformRefused('Unknown Channel', 404, 10_003));
    const stopped = new AbortController();
    await fetchUntil({ platform: { get }, removals }, stopped, () => removed.length > 0);
    return removed;
  }

  /**
   * Resolves with the threads that are asked for, in this order, once there are so many. For the threads in `holding`,
   * the platform never answers. For all others it fails at once.
   */
  async function askedFor(count: number, holding: ReadonlySet<string>): Promise<string[]> {
    const asked: string[] = [];
    const stopped = new AbortController();
    const unanswered = new Promise<never>((_resolve, reject) => {
      stopped.signal.addEventListener('abort', () => reject(stopped.signal.reason as Error));
    });
    const get = ({ path }: PlatformRequest<unknown>) => {
      const threadId = /^\/channels\/(\d+)/.exec(path)![1]!;
      if (holding.has(threadId)) return unanswered;
      asked.push(threadId);
      return Promise.reject(new PlatformAway('It is away'));
    };
    await fetchUntil({ platform: { get } }, stopped, () => asked.length >= count);
    return asked;
  }

  it('begins with the most recently active threads, and ends with those that have failed', async () => {
    const fresh = [aThread(), aThread({ todo: 'all' }), aThread()];
    const ago = (ms: number) => new Date(Date.now() - ms);
    // There are as many as are fetched at once. All of them were active later than the others.
    const failed = Array.from({ length: 32 }, (_, n) =>
      aThread({ dueAt: ago(3_600_000 * (1 + n)) }),
    );
    const later = aThread({ dueAt: ago(-3_600_000) });
    // They begin first, and leave one place free. So the others are asked for one after the other.
    const holding = Array.from({ length: 31 }, () => aThread());
    const all = [...fresh, ...failed, later, ...holding];
    await syncOf(deps.collections.sync, 'thread').insertMany(all);
    const inOrder = [...fresh.toReversed(), ...failed.toReversed()].map(({ _id }) => _id);
    const asked = await askedFor(35, new Set(holding.map(({ _id }) => _id)));
    expect(asked).to.deep.equal(inOrder);
  });

  it('reads no threads of servers that were not looked at yet', async () => {
    const { sync } = deps.collections;
    const [one, held] = [aThread({ todo: 'all' }), aThread()];
    const others = Array.from({ length: 500 }, (_, n) =>
      aThread({ todo: n % 2 ? 'new' : 'all', serverId: anId(), channelId: anId() }),
    );
    await syncOf(sync, 'thread').insertMany([...others, one, held]);
    const read = await readsOfEach(stores.mongo, sync, async () => {
      expect(await askedFor(1, new Set([held._id]))).to.deep.equal([one._id]);
    });
    expect(Math.max(...read)).to.equal(2);
  });

  it('ends the threads under way, and waits for them, where the next ones cannot be looked for', async () => {
    await syncOf(deps.collections.sync, 'thread').insertOne(aThread());
    const stopped = new AbortController();
    const away = new MongoNetworkError('It is away');
    const failures: unknown[] = [];
    let isAsked = false;
    let isEnded = false;
    const sync = Object.create(deps.collections.sync) as typeof deps.collections.sync;
    sync.find = ((...asked: Parameters<typeof sync.find>) => {
      if (isAsked) throw away;
      return deps.collections.sync.find(...asked);
    }) as typeof sync.find;
    const get = async (_request: unknown, signal?: AbortSignal): Promise<never> => {
      isAsked = true;
      await once(signal!, 'abort');
      await deps.collections.sync.findOne();
      isEnded = true;
      throw signal!.reason;
    };
    const fail = (error: unknown): void => {
      failures.push(error);
      stopped.abort();
    };
    const collections = { ...deps.collections, sync };
    await fetchUntil({ collections, platform: { get }, fail }, stopped, () => failures.length > 0);
    expect(failures).to.deep.equal([away]);
    expect(isEnded).to.equal(true);
  });

  it('records that a thread was deleted, and goes on before it is removed everywhere', async () => {
    const gone = aThread();
    await syncOf(deps.collections.sync, 'thread').insertOne(gone);
    await deps.collections.threads.insertOne(aThreadRecord({ _id: gone._id, ...place }));
    const removed = await fetchGone();
    const { serverId } = place;
    expect(removed).to.deep.equal([{ serverId, cause: `delete-thread/${gone._id}` }]);
    expect((await deps.collections.threads.findOne({ _id: gone._id }))?.deleted).to.equal(true);
    expect(await deps.collections.sync.countDocuments()).to.equal(0);
  });

  it('notes that a thread was deleted before it was recorded, as an export may still bring it', async () => {
    const gone = aThread();
    await syncOf(deps.collections.sync, 'thread').insertOne(gone);
    await fetchGone();
    expect(await deps.collections.threads.findOne({ _id: gone._id })).to.include({
      ...place,
      deleted: true,
    });
    expect(await deps.collections.sync.countDocuments()).to.equal(0);
  });

  it('asks nothing more of a thread that was deleted here, and forgets it', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { platform, asked } = answeringPlatform([one]);
    const own = syncDeps(deps, platform);
    const server = await loadServer(own, one.guild.id);
    const thread = aLiveThread({ guild_id: one.guild.id, parent_id: one.channels[0]!.id });
    const told = { threads: [thread], asOf: server.asOf + 1 };
    await noteThreads(own, server, told);
    const known = await syncOf(deps.collections.sync, 'thread').findOne({ _id: thread.id });
    await recordThreadDeletion(deps, thread.id);
    asked.length = 0;
    await fetchThread(own, known!);
    // A list may tell it again.
    await noteThreads(own, server, { ...told, asOf: told.asOf + 1 });
    expect(asked).to.deep.equal([]);
    expect(await deps.collections.sync.countDocuments({ kind: 'thread' })).to.equal(0);
  });

  for (const count of [0, 1]) {
    it(`still tells that a thread cannot be recorded after it was read once more: ${count} messages`, async () => {
      const one = anAnsweredServer('Rust', ['help']);
      const stopped = new AbortController();
      const { platform } = answeringPlatform([one]);
      const [id, channelId] = [anId(), one.channels[0]!.id];
      const said = Array.from({ length: count }, () => aLiveMessage({ channel_id: id }));
      const get: PlatformClient['get'] = async (request, signal) => {
        if (request.route === 'message') return { value: request.check(null), asOf: 1 };
        const { value, asOf } = await platform.get(request, signal);
        return { value: request.route === 'messages' ? request.check(said) : value, asOf };
      };
      const forged = aSourceThread({ thread: { _id: id, title: 'Forged' } });
      await record(deps, forged, [aSourceMessage({ _id: id, threadId: id })]);
      const own = syncDeps(deps, { get }, { signal: stopped.signal });
      const server = await loadServer(own, one.guild.id);
      const thread = aLiveThread({ id, guild_id: one.guild.id, parent_id: channelId });
      await noteThreads(own, server, { threads: [thread], asOf: server.asOf + 1 });
      await readOnceMore(own, id);
      const threads = syncOf(deps.collections.sync, 'thread');
      const fetching = fetchThreads(own);
      try {
        await until(async () => (await threads.findOne({ _id: id }))?.todo === undefined);
      } finally {
        stopped.abort();
        await fetching;
      }
      const problem = `It says serverId ${one.guild.id}, but ${forged.server._id} is recorded`;
      expect(await threads.findOne({ _id: id })).to.include({ problem });
      expect(await deps.collections.messages.distinct('_id')).to.deep.equal([id]);
    });
  }

  for (const isReadable of [true, false])
    it(`asks for the roles of a thread's starter before it records the thread, whether or not they can be read: ${isReadable}`, async () => {
      const one = anAnsweredServer('Rust', ['help']);
      const [role, starter] = [{ id: anId(), name: 'No Archive', permissions: '0' }, anId()];
      one.guild.roles.push(role);
      const { platform } = answeringPlatform([one]);
      const asked: number[] = [];
      const get = async (request: PlatformRequest<unknown>, signal?: AbortSignal) => {
        const answer = await platform.get(request, signal);
        if (request.route !== 'member' || !request.path.endsWith(starter)) return answer;
        asked.push(await deps.collections.threads.countDocuments());
        if (!isReadable) throw new PlatformAnswerError('No roles');
        return { ...answer, value: { roles: [role.id] } };
      };
      const own = syncDeps(deps, { get } as PlatformClient, { optOutEntries: ['no archive'] });
      const server = await loadServer(own, one.guild.id);
      const parent = { guild_id: one.guild.id, parent_id: one.channels[0]!.id };
      const threads = [aLiveThread({ ...parent, owner_id: starter })];
      await noteThreads(own, server, { threads, asOf: server.asOf + 1 });
      expect(asked).to.deep.equal([0]);
      expect(await deps.collections.threads.countDocuments()).to.equal(1);
      const left = await deps.collections.optOuts.distinct('userId');
      expect(left).to.deep.equal(isReadable ? [starter] : []);
    });

  /**
   * A process that archives a forum. While it asks for the roles of `userId`, a look withholds the forum, and then
   * fails, because the platform is away. The threads of the forum hold `page`.
   */
  async function hiddenMeanwhile(userId: string, page: readonly LiveMessage[] = []) {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    one.guild.roles.push({ id: anId(), name: 'No Archive', permissions: '0' });
    let isAway = false;
    const { platform } = answeringPlatform([one], {
      async before({ route, path }) {
        if (isAway && route === 'me') throw new PlatformAway('It is away');
        if (!path.endsWith(`/members/${userId}`)) return;
        hide(one, one.channels[0]!);
        isAway = true;
        expect(await loadServer(own, serverId).catch(String)).to.include('It is away');
      },
    });
    const get: PlatformClient['get'] = async (request, signal) => {
      const { value, asOf } = await platform.get(request, signal);
      if (request.route !== 'messages') return { value, asOf };
      return { value: request.check(request.path.endsWith('after=0') ? page : []), asOf };
    };
    const own = syncDeps(deps, { get }, { optOutEntries: ['no archive'] });
    const server = await loadServer(own, serverId);
    const parent = { guild_id: serverId, parent_id: one.channels[0]!.id };
    const note = (more: Partial<LiveThread>) =>
      noteThreads(own, server, {
        threads: [aLiveThread({ ...parent, ...more })],
        asOf: server.asOf + 1,
      });
    return { own, note };
  }

  it('records no thread of a forum that is hidden while the roles of its starter are asked for', async () => {
    const starter = anId();
    const { note } = await hiddenMeanwhile(starter);
    await note({ owner_id: starter });
    expect(await deps.collections.threads.countDocuments()).to.equal(0);
    expect(await deps.collections.sync.countDocuments({ kind: 'thread' })).to.equal(0);
  });

  it('passes over no page that was not recorded, as the forum is hidden while the roles of its authors are asked for', async () => {
    const author = aLiveUser();
    const page = aLivePost(100, { author });
    const { own, note } = await hiddenMeanwhile(author.id, page);
    const { id: _id } = page[0]!;
    await note({ id: _id });
    const threads = syncOf(deps.collections.sync, 'thread');
    await fetchThread(own, (await threads.findOne({ _id }))!);
    expect(await deps.collections.messages.countDocuments()).to.equal(0);
    expect(await threads.findOne({ _id })).to.include({ todo: 'new', ...NOTHING_FETCHED });
  });

  it('skips a message that cannot be read, and reports it until it can be', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { platform } = answeringPlatform([one]);
    const page = aLivePost(100).map((one) => ({ ...one, embeds: [] as unknown }));
    const [strange, last] = [page[40]!, page.at(-1)!];
    strange.embeds = 'a new form';
    const get: PlatformClient['get'] = async (request, signal) => {
      const { value, asOf } = await platform.get(request, signal);
      if (request.route !== 'messages') return { value, asOf };
      return { value: request.check(request.path.endsWith('after=0') ? page : []), asOf };
    };
    const own = syncDeps(deps, { get });
    const server = await loadServer(own, one.guild.id);
    const { id: _id } = page[0]!;
    const parent = { guild_id: one.guild.id, parent_id: one.channels[0]!.id };
    const thread = aLiveThread({ id: _id, ...parent, last_message_id: last.id });
    await noteThreads(own, server, { threads: [thread], asOf: server.asOf + 1 });
    const threads = syncOf(deps.collections.sync, 'thread');
    const fetched = async () => {
      await fetchThread(own, (await threads.findOne({ _id }))!);
      const { todo, after, problem } = (await threads.findOne({ _id }))!;
      expect({ todo, after }).to.deep.equal({ todo: undefined, after: last.id });
      return { problem, recorded: await deps.collections.messages.countDocuments() };
    };
    const problem = `Message ${strange.id} cannot be read: embeds must be an array`;
    expect(await fetched()).to.deep.equal({ problem, recorded: 99 });
    strange.embeds = [];
    await readOnceMore(own, _id);
    expect(await fetched()).to.deep.equal({ problem: undefined, recorded: 100 });
  });

  for (const todo of ['new', 'all'] as const) {
    it(`begins anew where the thread is to be read once more meanwhile: ${todo}`, async () => {
      const threads = syncOf(deps.collections.sync, 'thread');
      const thread = aThread({ todo, token: 'first', after: '5' });
      const { _id } = thread;
      await threads.insertOne(thread);
      const get = (async () => {
        await readOnceMore(own, _id);
        return { value: { messages: [], unreadable: [] }, asOf: 2 };
      }) as unknown as PlatformClient['get'];
      const own = syncDeps(deps, { get }, { servers: servers() });
      await fetchThread(own, thread);
      expect(await threads.findOne({ _id })).to.include({ todo: 'all', after: '0' });
    });
  }

  /**
   * What is to be fetched of a thread that the platform lists again with a second message, while events tell
   * everything. They have done so since a moment, which is before the first list unless another is given.
   */
  async function toldAgain(
    count: number,
    recorded: 'nothing' | 'last',
    meanwhile: (_id: string) => Promise<void> = () => Promise.resolve(),
    since = new Date(0),
  ) {
    const one = anAnsweredServer('Rust', ['help']);
    const { platform } = answeringPlatform([one]);
    const { messages, sync } = deps.collections;
    const slow = Object.create(messages) as typeof messages;
    const own = syncDeps(deps, platform, { listening: { since } });
    const server = await loadServer(own, one.guild.id);
    const thread = aLiveThread({ guild_id: one.guild.id, parent_id: one.channels[0]!.id });
    const { id: _id } = thread;
    await noteThreads(own, server, { threads: [thread], asOf: server.asOf + 1 });
    await syncOf(sync, 'thread').updateOne({ _id }, { $unset: { todo: '', token: '' } });
    const last = aMessage({ threadId: _id });
    // The platform counts neither the starter message nor what was deleted.
    const uncounted = [
      aMessage({ _id, threadId: _id }),
      aMessage({ threadId: _id, deleted: true }),
    ];
    await messages.insertMany(recorded === 'last' ? [last, ...uncounted] : uncounted);
    slow.countDocuments = async (...asked: Parameters<typeof messages.countDocuments>) => {
      await meanwhile(_id);
      return messages.countDocuments(...asked);
    };
    Object.assign(thread, { last_message_id: last._id, message_count: count });
    Object.assign(thread, { total_message_sent: count });
    const collections = { ...deps.collections, messages: slow };
    const told = { threads: [thread], asOf: server.asOf + 2 };
    await noteThreads({ ...own, collections }, server, told);
    const { todo, after } = (await syncOf(sync, 'thread').findOne({ _id }))!;
    return { todo, isFromFirst: after === '0' };
  }

  it('is not needed where events have told everything, and only there', async () => {
    expect(await toldAgain(1, 'last')).to.include({ todo: undefined });
    expect(await toldAgain(2, 'last')).to.include({ todo: 'new' });
    expect(await toldAgain(0, 'nothing')).to.include({ todo: 'new' });
    const later = new Date(Date.now() + 60_000);
    expect(await toldAgain(1, 'last', undefined, later)).to.include({ todo: 'new' });
  });

  it('begins at the first message where that is requested while all seems to be recorded', async () => {
    const again = await toldAgain(1, 'last', (_id) => readOnceMore(deps, _id));
    expect(again).to.deep.equal({ todo: 'all', isFromFirst: true });
  });

  it('begins at the first message where the forum is forgotten while all seems to be recorded', async () => {
    const forget = async (_id: string) => {
      await deps.collections.sync.deleteOne({ _id });
    };
    expect(await toldAgain(1, 'last', forget)).to.deep.equal({ todo: 'new', isFromFirst: true });
  });

  it('reads all of a thread of which something new is told meanwhile', async () => {
    const again = await toldAgain(2, 'last', (_id) => readOnceMore(deps, _id));
    expect(again).to.deep.equal({ todo: 'all', isFromFirst: true });
  });

  it('dates a reading by the moment at which it began, unless it went on from the middle', async () => {
    const threads = syncOf(deps.collections.sync, 'thread');
    const thread = aThread({ todo: 'all' });
    const fromMiddle = aThread({ after: '5', token: 'first' });
    const { _id } = thread;
    await threads.insertMany([thread, fromMiddle]);
    let asked = 0;
    const get = (async () => {
      asked = Date.now();
      await until(() => Date.now() > asked);
      return { value: { messages: [], unreadable: [] }, asOf: 2 };
    }) as unknown as PlatformClient['get'];
    const own = syncDeps(deps, { get }, { servers: servers() });
    for (const one of [fromMiddle, thread]) await fetchThread(own, one);
    const { readAt } = (await threads.findOne({ _id }))!;
    expect(readAt!.getTime()).to.be.at.most(asked);
    const other = await threads.findOne({ _id: fromMiddle._id });
    expect(other).to.not.have.any.keys('readAt', 'todo');
  });

  it('is still to be done where it was asked for while an earlier one failed', async () => {
    const began = Date.now();
    const thread = aThread({ token: 'before' });
    const { _id } = thread;
    const threads = syncOf(deps.collections.sync, 'thread');
    await threads.insertOne(thread);
    let times = 0;
    const get = async () => {
      times += 1;
      if (times === 1) await readOnceMore(deps, _id);
      throw new PlatformRefused('Not now', 400, null);
    };
    await fetchUntil({ platform: { get } }, new AbortController(), () => times === 2);
    const failed = await threads.findOne({ _id });
    expect(failed).to.include({ problem: 'Not now' });
    // It counts as read, so that its next reading comes in its turn.
    expect(failed!.readAt!.getTime()).to.be.at.least(began);
  });

  it('removes no message of which the platform says only that it may not be seen', async () => {
    const thread = aThread();
    const { _id: threadId } = thread;
    const recorded = aMessage({ threadId, asOf: 1 });
    await deps.collections.messages.insertOne(recorded);
    const refused = new PlatformForbidden('Missing Access', 403, 50_001);
    const get = (({ route }: PlatformRequest<unknown>) =>
      route === 'messages'
        ? Promise.resolve({ value: { messages: [], unreadable: [] }, asOf: 2 })
        : Promise.reject(refused)) as PlatformClient['get'];
    const fetching = fetchThread(syncDeps(deps, { get }, { servers: servers() }), thread);
    expect(await fetching.catch((error: unknown) => error)).to.equal(refused);
    expect(await deps.collections.messages.findOne()).to.deep.equal(recorded);
  });

  const ENDS = {
    'was deleted': new PlatformRefused('Unknown Message', 404, 10_008),
    'may not be read': new PlatformForbidden('Missing Access', 403, 50_001),
    'is there': null,
  };
  for (const [told, refusal] of Object.entries(ENDS))
    it(`asks for the last message that was listed where a page is empty, which ${told}`, async () => {
      const threads = syncOf(deps.collections.sync, 'thread');
      const thread = aThread({ token: 'first', after: anId(), lastMessageId: anId() });
      await threads.insertOne(thread);
      const get = (({ route }: PlatformRequest<unknown>) =>
        route === 'message' && refusal
          ? Promise.reject(refusal)
          : Promise.resolve({
              value: { messages: [], unreadable: [] },
              asOf: 2,
            })) as PlatformClient['get'];
      const own = syncDeps(deps, { get }, { servers: servers() });
      const ended = await fetchThread(own, thread).catch((error: unknown) => error);
      const { todo } = (await threads.findOne({ _id: thread._id }))!;
      if (told === 'was deleted')
        expect({ ended, todo }).to.deep.equal({ ended: undefined, todo: undefined });
      else {
        expect(todo).to.equal('new');
        expect(ended).to.be.instanceOf(refusal ? PlatformForbidden : PlatformAway);
      }
    });

  it('asks nothing more about a forum that the bot may not see, and records why', async () => {
    const { sync } = deps.collections;
    const channel = { _id: place.channelId, kind: 'channel' as const, serverId: place.serverId };
    const told = { name: 'help', checkedAt: new Date(), problem: null };
    await syncOf(sync, 'channel').insertOne({ ...channel, ...told });
    await syncOf(sync, 'thread').insertMany([aThread(), aThread()]);
    const looked: SyncDeps['servers'] = new Map();
    const look = (): void => void looked.set(place.serverId, servers().get(place.serverId)!);
    let asked = 0;
    const get = () => {
      asked += 1;
      // The server is looked at while the platform is asked for the first time. The look may be later than the refusal.
      if (asked <= 2) look();
      return Promise.reject(new PlatformForbidden('Missing Access', 403, 50_001));
    };
    look();
    await fetchUntil({ platform: { get }, servers: looked }, new AbortController(), async () => {
      const found = await syncOf(sync, 'channel').findOne({ _id: place.channelId });
      return found?.problem === 'Missing Access';
    });
    expect(await sync.countDocuments({ kind: 'thread' })).to.equal(0);
    expect([...looked.get(place.serverId)!.channels]).to.deep.equal([]);
  });

  it('ends where the forum is hidden meanwhile, and records nothing more of it', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const { platform } = answeringPlatform([one]);
    const said = aLivePost(201);
    const pages = [said.slice(0, 100), said.slice(100, 200), said.slice(200)];
    const [[first], second] = pages as [[LiveMessage], LiveMessage[]];
    let asked = 0;
    const get: PlatformClient['get'] = async (request, signal) => {
      const { value, asOf } = await platform.get(request, signal);
      if (request.route !== 'messages') return { value, asOf };
      asked += 1;
      if (asked === 2) {
        hide(one, one.channels[0]!);
        await loadServer(own, serverId);
      }
      return { value: request.check(pages.shift()), asOf };
    };
    const own = syncDeps(deps, { get });
    const server = await loadServer(own, serverId);
    const { id: _id } = first;
    const thread = aLiveThread({ id: _id, guild_id: serverId, parent_id: one.channels[0]!.id });
    await noteThreads(own, server, { threads: [thread], asOf: server.asOf + 1 });
    await fetchThread(own, (await syncOf(deps.collections.sync, 'thread').findOne({ _id }))!);
    expect(asked).to.equal(2);
    const { messages, sync } = deps.collections;
    expect(await messages.countDocuments()).to.equal(100);
    expect(await messages.findOne({ _id: second[0]!.id })).to.equal(null);
    expect(await sync.countDocuments({ kind: 'thread' })).to.equal(0);
  });

  for (const hiddenAt of [1, 2])
    it(`reads a thread from its first message where its forum is hidden and shown again meanwhile: page ${hiddenAt}`, async () => {
      const one = anAnsweredServer('Rust', ['help']);
      const { guild, channels } = one;
      const [channel] = channels as [(typeof channels)[number]];
      const { platform } = answeringPlatform([one]);
      const threads = syncOf(deps.collections.sync, 'thread');
      const said = aLivePost(250);
      const first = said[0]!;
      let pages = 0;
      const get: PlatformClient['get'] = async (request, signal) => {
        const { value, asOf } = await platform.get(request, signal);
        if (request.route !== 'messages') return { value, asOf };
        const after = BigInt(/after=(\d+)/.exec(request.path)![1]!);
        const page = structuredClone(said.filter(({ id }) => BigInt(id) > after).slice(0, 100));
        pages += 1;
        if (pages === hiddenAt) await hideForAWhile(asOf);
        return { value: request.check(page), asOf };
      };
      const own = syncDeps(deps, { get });
      const note = async (asOf: number) => {
        const server = await loadServer(own, guild.id);
        const parent = { guild_id: guild.id, parent_id: channel.id };
        await noteThreads(own, server, {
          threads: [aLiveThread({ id: first.id, ...parent })],
          asOf,
        });
      };
      const hideForAWhile = async (asOf: number) => {
        const { permission_overwrites: shown } = channel;
        hide(one, channel);
        await loadServer(own, guild.id);
        first.content = 'Said otherwise, unheard';
        channel.permission_overwrites = shown!;
        await note(asOf + 1);
      };
      await note(1);
      const fetched = async () => fetchThread(own, (await threads.findOne({ _id: first.id }))!);
      await fetched();
      expect(await threads.findOne({ _id: first.id })).to.include({
        todo: 'new',
        ...NOTHING_FETCHED,
      });
      await fetched();
      const { content } = (await deps.collections.messages.findOne({ _id: first.id }))!;
      expect(content).to.equal('Said otherwise, unheard');
    });

  it('keeps the content of messages when the bot may not read it any more', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { platform } = answeringPlatform([one]);
    const [said] = aLivePost(1, { content: 'Words' }) as [LiveMessage];
    let flags = 1 << 18;
    let asked = 0;
    const get: PlatformClient['get'] = async (request, signal) => {
      // It is asked whether the message is still there.
      if (request.route === 'message') return { value: undefined as never, asOf: 1 };
      const { value, asOf } = await platform.get(request, signal);
      if (request.route === 'application') {
        asked += 1;
        return { value: { flags } as never, asOf };
      }
      if (request.route !== 'messages') return { value, asOf };
      return { value: request.check([said]), asOf };
    };
    const own = syncDeps(deps, { get });
    const server = await loadServer(own, one.guild.id);
    const { id: _id } = said;
    const thread = aLiveThread({ id: _id, guild_id: one.guild.id, parent_id: one.channels[0]!.id });
    await noteThreads(own, server, { threads: [thread], asOf: server.asOf + 1 });
    const fetched = async () => {
      const known = await syncOf(deps.collections.sync, 'thread').findOne({ _id });
      await fetchThread(own, known!);
    };
    await fetched();
    [flags, said.content] = [0, ''];
    const sticker = { id: anId(), name: 'wave', format_type: 1 };
    const answer = { type: 20, flags: 0, sticker_items: [] };
    for (const more of [{}, { sticker_items: [sticker] }, answer]) {
      Object.assign(said, more);
      await readOnceMore(own, _id);
      expect(await fetched().catch(String)).to.include('lacks the Message Content intent');
      expect(await deps.collections.messages.findOne({ _id })).to.include({ content: 'Words' });
    }
    // An answer that is still being made has no words with the intent, either. It is not recorded, so nothing is asked.
    asked = 0;
    said.flags = 1 << 7;
    await fetched();
    expect(asked).to.equal(0);
  });

  it('keeps the newest facts of a thread where an earlier answer comes late', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const own = syncDeps(deps, answeringPlatform([one]).platform);
    const server = await loadServer(own, one.guild.id);
    const thread = aLiveThread({ guild_id: one.guild.id, parent_id: one.channels[0]!.id });
    const told = (count: number, asOf: number) =>
      noteThreads(own, server, {
        threads: [
          {
            ...thread,
            message_count: count,
            last_message_id: String(BigInt(thread.id) + BigInt(count)),
          },
        ],
        asOf: server.asOf + asOf,
      });
    await told(5, 2);
    await told(4, 1);
    const known = await syncOf(deps.collections.sync, 'thread').findOne({ _id: thread.id });
    expect(known).to.include({ messageCount: 5, asOf: server.asOf + 2 });
  });

  it('removes messages that were deleted in batches, and keeps those that the platform still has', async () => {
    const gone = aThread();
    const { _id: threadId } = gone;
    await deps.collections.threads.insertOne(aThreadRecord({ _id: threadId, ...place }));
    const recorded = Array.from({ length: 120 }, () => aMessage({ threadId, asOf: 1 }));
    await deps.collections.messages.insertMany(recorded);
    const [kept] = recorded;
    const get = (({ route, path }: PlatformRequest<unknown>) =>
      route === 'messages'
        ? Promise.resolve({ value: { messages: [], unreadable: [] }, asOf: 2 })
        : path.endsWith(kept!._id)
          ? Promise.resolve({ value: undefined, asOf: 2 })
          : Promise.reject(
              new PlatformRefused('Unknown Message', 404, 10_008),
            )) as PlatformClient['get'];
    const removed: unknown[] = [];
    const removals: SyncDeps['removals'] = {
      add: (one) => void removed.push(one),
      end: () => Promise.resolve(),
    };
    const { serverId } = place;
    const own = syncDeps(deps, { get }, { removals, servers: servers() });
    await fetchThread(own, gone);
    const cause = `delete-messages/${threadId}`;
    expect(removed).to.deep.equal(Array(3).fill({ serverId, cause }));
    const left = await deps.collections.messages.distinct('_id', { deleted: { $ne: true } });
    expect(left).to.deep.equal([kept!._id]);
  });
});
