import { mock } from 'node:test';
import { expect } from 'chai';
import type { Filter } from 'mongodb';
import { createLiveClock } from '../../../services/indexer/stores/liveClock.js';
import { forgetChannels } from '../../../services/indexer/sync/forgetChannels.js';
import { suspendServer } from '../../../services/indexer/sync/suspend.js';
import { loadServer } from '../../../services/indexer/sync/loadServer.js';
import { noteThreads } from '../../../services/indexer/sync/noteThreads.js';
import { postponeRequest, requestServer } from '../../../services/indexer/sync/serveRequests.js';
import { runRequest } from '../../../services/indexer/sync/runRequest.js';
import { runSync } from '../../../services/indexer/sync/runSync.js';
import type { SyncDeps } from '../../../services/indexer/sync/syncDeps.js';
import type { LiveThread } from '../../../shared/discordApi/answerTypes.js';
import {
  PlatformAnswerError,
  PlatformAway,
  PlatformRefused,
} from '../../../shared/discordApi/platformErrors.js';
import { requestSync } from '../../../shared/store/requestSync.js';
import { stateOf } from '../../../shared/store/state.js';
import {
  syncOf,
  type SyncRecord,
  type SyncRequestRecord,
} from '../../../shared/store/syncRecords.js';
import {
  anAnsweredServer,
  answeringPlatform,
  hide,
  syncDeps,
  type AnsweredServer,
} from '../../support/answeringPlatform.js';
import type { PlatformClient } from '../../../shared/discordApi/platformClient.js';
import { readEventsState } from '../../../shared/store/syncState.js';
import { until } from '../../support/apiServer.js';
import { aSourceThread } from '../../support/factories.js';
import { record } from '../../support/indexerDeps.js';
import { aLiveThread } from '../../support/liveAnswers.js';
import { LIVE } from '../../support/mirrorRig.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { QUIET } from '../../support/syncRig.js';

/** Longer than any test. */
const HOUR_MS = 3_600_000;

/** A request for everything, or for a server. */
function aRequest(more: Partial<SyncRequestRecord> = {}): SyncRequestRecord {
  return { _id: 'asked', kind: 'request', at: new Date(), ...more };
}

describe('a request to sync', () => {
  const { deps } = indexerSuite('emptied');

  /** Pages of a forum's archived threads. Each has one thread, which is a second older than the one before. */
  function pagesOf({ guild }: AnsweredServer, channelId: string, count: number): LiveThread[] {
    return Array.from({ length: count }, (_, n) =>
      aLiveThread({
        guild_id: guild.id,
        parent_id: channelId,
        name: `On page ${n + 1}`,
        thread_metadata: {
          archived: true,
          locked: false,
          archive_timestamp: new Date(Date.UTC(2026, 0, 1) - n * 1_000).toISOString(),
        },
      }),
    );
  }

  it('keeps a record of a server that the bot has left while something of it is archived', async () => {
    const all = ['Rust', 'Go', 'Private'].map((name) => anAnsweredServer(name, ['help']));
    const [rust, go, never] = all as [AnsweredServer, AnsweredServer, AnsweredServer];
    hide(never, never.channels[0]!);
    const servers = [...all];
    const own = syncDeps(deps, answeringPlatform(servers).platform);
    await runRequest(own, aRequest());
    const { sync } = deps.collections;
    const noted = () => sync.distinct('_id', { kind: { $in: ['server', 'channel'] } });
    expect(await noted()).to.have.length(6);
    servers.length = 0;
    await deps.collections.servers.updateOne({ _id: go.guild.id }, { $set: { deleted: true } });
    await runRequest(own, aRequest());
    expect(await noted()).to.have.members([rust.guild.id, rust.channels[0]!.id]);
  });

  it('empties withheld forums half a day later, even if the bot has left their server', async () => {
    const [rust, go] = ['Rust', 'Go'].map((name) => anAnsweredServer(name, ['old', 'new']));
    const servers = [rust!, go!];
    const own = syncDeps(deps, answeringPlatform(servers).platform);
    await runRequest(own, aRequest());
    servers.shift();
    const { channels } = deps.collections;
    for (const [n, { id }] of [...rust!.channels, ...go!.channels].entries()) {
      const withheldAt = new Date(Date.now() - (n % 2 === 0 ? 13 : 11) * HOUR_MS);
      await channels.updateOne({ _id: id }, { $set: { withheldAt } });
    }
    await runRequest(own, aRequest());
    // The look at the other server has found that its forums are public.
    expect([...own.longWithheld]).to.deep.equal([rust!.channels[0]!.id]);
  });

  const startSync = (platform: PlatformClient) =>
    runSync(deps, { platform, clock: createLiveClock(deps.collections.state) }, QUIET);

  for (const id of ['all', 'one']) {
    it(`is served once more where it is made again while it is being served: ${id}`, async () => {
      const one = anAnsweredServer('Rust', ['help']);
      const place = id === 'all' ? {} : { serverId: one.guild.id };
      let looks = 0;
      const { platform } = answeringPlatform([one], {
        async before({ route }) {
          if (route !== 'guild') return;
          looks += 1;
          if (looks === 1) await requestSync(deps.collections, place, id);
        },
      });
      // The sync makes the request for everything by itself. It serves earlier requests first.
      if (id === 'one') await requestSync(deps.collections, place, id);
      const sync = startSync(platform);
      try {
        await until(() => looks === (id === 'all' ? 2 : 3));
      } finally {
        await sync.stop();
      }
    });
  }

  it('is served once more where it is made again while the platform refuses it', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const place = { serverId: one.guild.id };
    const again = () => requestSync(deps.collections, place, 'one');
    let looks = 0;
    const { platform } = answeringPlatform([one], {
      async before({ route }) {
        if (route !== 'guild') return;
        looks += 1;
        if (looks > 1) return;
        await again();
        throw new PlatformRefused('Missing Access', 403, 50_001);
      },
    });
    await again();
    const sync = startSync(platform);
    try {
      await until(async () => {
        const asked = await syncOf(deps.collections.sync, 'request').findOne({ _id: 'one' });
        return asked?.listed === true;
      });
    } finally {
      await sync.stop();
    }
  });

  for (const isRefused of [false, true]) {
    it(`leaves nothing where the sync has made it itself, and it was ${isRefused ? 'refused' : 'served'}`, async () => {
      const one = anAnsweredServer('Rust', ['help']);
      const { id: serverId } = one.guild;
      const { platform, asked } = answeringPlatform([one], {
        before: ({ route }) =>
          isRefused && route === 'guild'
            ? Promise.reject(new PlatformRefused('Missing Access', 403, 50_001))
            : Promise.resolve(),
      });
      await requestServer(deps, serverId);
      const sync = startSync(platform);
      const requests = syncOf(deps.collections.sync, 'request');
      try {
        // The sync itself asks for everything.
        await until(() => asked.filter(({ route }) => route === 'guild').length === 2);
        await until(async () => (await requests.countDocuments({ kind: 'request' })) === 0);
      } finally {
        await sync.stop();
      }
    });
  }

  it('keeps what an export alone has told of when the platform knows nothing of it', async () => {
    const source = aSourceThread();
    await record(deps, source);
    const { _id: threadId, channelId } = source.thread;
    const unknown = new PlatformRefused('Unknown Channel', 404, 10_003);
    const { platform } = answeringPlatform([], {
      before: ({ route }) =>
        route === 'application' ? Promise.resolve() : Promise.reject(unknown),
    });
    for (const place of [{ threadId }, { channelId }]) {
      const asked = runRequest(syncDeps(deps, platform), aRequest(place));
      expect(await asked.catch((error: unknown) => error)).to.equal(unknown);
    }
    const { threads, channels } = deps.collections;
    expect(await threads.findOne({ _id: threadId })).not.to.have.property('deleted');
    expect(await channels.findOne({ _id: channelId })).not.to.have.property('deleted');
  });

  it('says that the first channel of an old server is no forum, although it has the id of the server', async () => {
    const one = anAnsweredServer('Rust', ['help', 'general']);
    const { id: serverId } = one.guild;
    Object.assign(one.channels[1]!, { id: serverId, type: 0 });
    const own = syncDeps(deps, answeringPlatform([one]).platform);
    const asked = runRequest(own, aRequest({ channelId: serverId }));
    expect(await asked.catch(String)).to.equal('NotSynced: It is not archived. It is no forum');
  });

  it('reads what the platform once told and no list tells, but nothing that an export alone has told of', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const place = { server: { _id: one.guild.id }, channel: { _id: one.channels[0]!.id } };
    const told = [1, 2].map((n) => aSourceThread({ ...place, asOf: LIVE + n }));
    for (const source of [...told, aSourceThread(place)]) await record(deps, source);
    const [unlisted, deleted] = told.map(({ thread }) => thread._id);
    await deps.collections.threads.updateOne({ _id: deleted! }, { $set: { deleted: true } });
    await runRequest(syncDeps(deps, answeringPlatform([one]).platform), aRequest());
    const toRead = await deps.collections.sync.distinct('_id', { kind: 'thread', todo: 'all' });
    expect(toRead).to.deep.equal([unlisted]);
  });

  it('deletes nothing that the bot may not see, but what the platform says to be deleted', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: channelId } = one.channels[0]!;
    let refusal: PlatformRefused | null = null;
    const { platform } = answeringPlatform([one], {
      before: ({ route }) =>
        refusal && route === 'channel' ? Promise.reject(refusal) : Promise.resolve(),
    });
    const own = syncDeps(deps, platform);
    const server = await loadServer(own, one.guild.id);
    const thread = aLiveThread({ guild_id: one.guild.id, parent_id: channelId });
    await noteThreads(own, server, { threads: [thread], asOf: server.asOf });
    const { threads, channels } = deps.collections;
    const kept = async () => [
      (await threads.findOne({ _id: thread.id }))?.deleted !== true,
      (await channels.findOne({ _id: channelId }))?.deleted !== true,
    ];
    const ask = (place: Partial<SyncRequestRecord>) =>
      runRequest(own, aRequest(place)).catch((error: unknown) => error);
    const places = [{ threadId: thread.id }, { channelId }];
    refusal = new PlatformRefused('Missing Access', 403, 50_001);
    for (const place of places) expect(await ask(place)).to.equal(refusal);
    expect(await kept()).to.deep.equal([true, true]);
    refusal = new PlatformRefused('Unknown Channel', 404, 10_003);
    for (const place of places) expect(await ask(place)).to.equal(undefined);
    expect(await kept()).to.deep.equal([false, false]);
    // The forum is removed already, as after an event that told its deletion.
    expect(await ask({ channelId })).to.equal(undefined);
    await own.removals.end();
  });

  it('notes why a server is refused, and reads it from its beginning later', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    let isRefused = false;
    const { platform } = answeringPlatform([one], {
      before: ({ route }) =>
        isRefused && route === 'guild'
          ? Promise.reject(new PlatformRefused('Missing Access', 403, 50_001))
          : Promise.resolve(),
    });
    const own = syncDeps(deps, platform);
    await runRequest(own, aRequest());
    const listed = () =>
      deps.collections.sync.countDocuments({
        kind: 'channel',
        serverId,
        token: { $exists: false },
      });
    expect(await listed()).to.equal(1);
    isRefused = true;
    await runRequest(own, aRequest());
    const server = await syncOf(deps.collections.sync, 'server').findOne({ _id: serverId });
    expect(server?.problem).to.equal('Missing Access');
    expect(await listed()).to.equal(0);
  });

  it('finds a thread that is taken up while the archived ones are listed', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const threads = pagesOf(one, one.channels[0]!.id, 1);
    let isTakenUp = false;
    const { platform } = answeringPlatform([one]);
    const get: PlatformClient['get'] = async (request, signal) => {
      const answer = await platform.get(request, signal);
      if (request.route === 'archivedThreads') isTakenUp = true;
      if (request.route !== 'activeThreads' || !isTakenUp) return answer;
      return { ...answer, value: request.check({ threads }) };
    };
    await runRequest(syncDeps(deps, { get }), aRequest({ serverId }));
    expect(await deps.collections.threads.distinct('_id')).to.deep.equal([threads[0]!.id]);
  });

  it('is served again where the platform was away for one list, and another cannot be read', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { platform } = answeringPlatform([one], {
      async before({ route }) {
        await Promise.resolve();
        if (route === 'activeThreads') throw new PlatformAnswerError('No list');
        if (route === 'archivedThreads') throw new PlatformAway('Away');
      },
    });
    const asked = runRequest(syncDeps(deps, platform), aRequest({ serverId: one.guild.id }));
    expect(await asked.catch(String)).to.include('Away');
  });

  it('lists all other threads where one cannot be read, and lists that one in the next process', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const active = Array.from({ length: 2 }, () =>
      aLiveThread({ guild_id: serverId, parent_id: one.channels[0]!.id }),
    );
    const archived = pagesOf(one, one.channels[0]!.id, 5);
    const strange = [active[0]!, archived[4]!];
    for (const thread of strange) Object.assign(thread, { name: null });
    const { platform } = answeringPlatform([one]);
    let pages = 0;
    const get: PlatformClient['get'] = async (request, signal) => {
      const { value, asOf } = await platform.get(request, signal);
      const { route, path, check } = request;
      if (route === 'activeThreads') return { value: check({ threads: active }), asOf };
      if (route !== 'archivedThreads') return { value, asOf };
      pages += 1;
      const isLast = path.includes('before=');
      const threads = isLast ? archived.slice(3) : archived.slice(0, 3);
      return { value: check({ threads, has_more: !isLast }), asOf };
    };
    const own = syncDeps(deps, { get });
    const serve = async () => {
      pages = 0;
      const error = await runRequest(own, aRequest({ serverId })).catch(
        (thrown: unknown) => thrown,
      );
      return {
        error: (error as Error | undefined)?.message,
        pages,
        recorded: await deps.collections.threads.countDocuments(),
      };
    };
    const problemOf = (id: string) => `Thread ${id} cannot be read: name must be a string`;
    const error = problemOf(active[0]!.id);
    expect(await serve()).to.deep.equal({ error, recorded: 5, pages: 2 });
    active[0]!.name = 'Now it can';
    // What is behind the first page is not read again, but is reported.
    const left = problemOf(archived[4]!.id);
    expect(await serve()).to.deep.equal({ error: left, recorded: 6, pages: 1 });
    archived[4]!.name = 'Now it can';
    own.listed.clear();
    expect(await serve()).to.deep.equal({ error: undefined, recorded: 7, pages: 2 });
    own.listed.clear();
    expect(await serve()).to.deep.equal({ error: undefined, recorded: 7, pages: 1 });
  });

  it('lists a forum from its beginning that was forgotten while a page was on its way', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: channelId } = one.channels[0]!;
    const { id: serverId } = one.guild;
    const [first, second, old] = pagesOf(one, channelId, 3);
    let pages = [[old]];
    let isForgotten = true;
    const { platform } = answeringPlatform([one]);
    const get: PlatformClient['get'] = async (request, signal) => {
      const answer = await platform.get(request, signal);
      if (request.route !== 'archivedThreads') return answer;
      const number = request.path.includes('before=') ? 1 : 0;
      const has_more = number + 1 < pages.length;
      if (!has_more && !isForgotten) {
        isForgotten = true;
        await forgetChannels(deps.collections.sync, { serverId });
      }
      return { ...answer, value: { threads: pages[number], unreadable: [], has_more } as never };
    };
    const own = syncDeps(deps, { get });
    await runRequest(own, aRequest());
    [pages, isForgotten] = [[[first], [second, old]], false];
    await runRequest(own, aRequest());
    const noted = await deps.collections.sync.distinct('_id', { kind: 'thread' });
    expect(noted).to.have.members([first, second, old].map((thread) => thread!.id));
  });

  it('finds all threads of a forum that was listed while it was being forgotten', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: channelId } = one.channels[0]!;
    const archived = pagesOf(one, channelId, 3);
    const { platform } = answeringPlatform([one]);
    const get: PlatformClient['get'] = async (request, signal) => {
      const answer = await platform.get(request, signal);
      if (request.route !== 'archivedThreads') return answer;
      const before = new URL(request.path, 'http://platform').searchParams.get('before') ?? '9';
      const [next, ...others] = archived.filter(
        ({ thread_metadata: { archive_timestamp: at } }) => at! < before,
      );
      const value = { threads: [next], unreadable: [], has_more: others.length > 0 };
      return { ...answer, value: value as never };
    };
    const own = syncDeps(deps, { get });
    await runRequest(own, aRequest());
    const { sync } = deps.collections;
    const slow = new Proxy(sync, {
      get(target, name) {
        if (name !== 'deleteMany') return Reflect.get(target, name) as unknown;
        return async (filter: Filter<SyncRecord>) => {
          await runRequest(own, aRequest());
          return target.deleteMany(filter);
        };
      },
    });
    await forgetChannels(slow, { serverId: one.guild.id });
    await runRequest(own, aRequest());
    const noted = await sync.distinct('_id', { kind: 'thread' });
    expect(noted).to.have.members(archived.map(({ id }) => id));
  });

  it('ends a list whose last page holds nothing that can be read', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: channelId } = one.channels[0]!;
    const [first, last] = pagesOf(one, channelId, 2);
    const unreadable = [{ id: last!.id, reason: 'no name' }];
    let has_more = true;
    const { platform, asked } = answeringPlatform([one]);
    const get: PlatformClient['get'] = async (request, signal) => {
      const answer = await platform.get(request, signal);
      if (request.route !== 'archivedThreads') return answer;
      const value = request.path.includes('before=')
        ? { threads: [], unreadable, has_more }
        : { threads: [first], unreadable: [], has_more: true };
      return { ...answer, value: value as never };
    };
    const own = syncDeps(deps, { get });
    const forum = () => syncOf(deps.collections.sync, 'channel').findOne({ kind: 'channel' });
    // Where more follows such a page, nobody knows where the list goes on.
    await runRequest(own, aRequest());
    expect(await forum()).to.not.have.property('listedTo');
    has_more = false;
    await runRequest(own, aRequest());
    expect(await forum()).to.include({ listedTo: first!.thread_metadata.archive_timestamp });
    // So threads that are archived from now on are found: the next list begins at the first page.
    asked.length = 0;
    await runRequest(own, aRequest());
    const pages = asked.filter(({ route }) => route === 'archivedThreads');
    expect(pages[0]!.path).to.not.include('before=');
  });

  describe('during whose list its server changes', () => {
    const server = () => anAnsweredServer('Rust', ['help']);

    /** Lists a forum with three pages. Before the second page is answered, the server changes, and is looked at. */
    async function listWhile(one: AnsweredServer, change: () => void): Promise<SyncDeps> {
      const pages = pagesOf(one, one.channels[0]!.id, 3);
      let listed = 0;
      const { platform } = answeringPlatform([one], {
        archived: () => ({ threads: [pages[listed++]!], has_more: listed < pages.length }),
        async before({ route }) {
          if (route !== 'archivedThreads' || listed !== 1) return;
          change();
          await loadServer(own, one.guild.id);
        },
      });
      const own = syncDeps(deps, platform);
      await runRequest(own, aRequest({ serverId: one.guild.id }));
      return own;
    }

    it('records what the last look has told of the server and the forum', async () => {
      const one = server();
      await listWhile(one, () => {
        one.guild.name = 'Rust and friends';
        Object.assign(one.channels[0]!, { name: 'questions', topic: 'Ask here' });
      });
      const { servers, channels, threads } = deps.collections;
      expect(await servers.findOne()).to.include({ name: 'Rust and friends' });
      expect(await channels.findOne()).to.include({ name: 'questions', topic: 'Ask here' });
      expect(await threads.countDocuments()).to.equal(3);
    });

    it('keeps the facts of a later look where a thread is noted by an earlier one', async () => {
      const one = server();
      const { platform } = answeringPlatform([one]);
      const own = syncDeps(deps, platform);
      const earlier = await loadServer(own, one.guild.id);
      one.channels[0]!.name = 'questions';
      const { asOf } = await loadServer(own, one.guild.id);
      const threads = pagesOf(one, one.channels[0]!.id, 1);
      await noteThreads(own, earlier, { threads, asOf: asOf + 1_000 });
      expect(await deps.collections.threads.distinct('title')).to.deep.equal(['On page 1']);
      expect(await deps.collections.channels.distinct('name')).to.deep.equal(['questions']);
    });

    it('records nothing of a forum that was deleted here since the last look', async () => {
      const one = server();
      const { platform } = answeringPlatform([one]);
      const own = syncDeps(deps, platform);
      const before = await loadServer(own, one.guild.id);
      await deps.collections.channels.updateMany({}, { $set: { deleted: true } });
      const threads = pagesOf(one, one.channels[0]!.id, 1);
      await noteThreads(own, before, { threads, asOf: before.asOf + 1_000 });
      expect(await deps.collections.threads.countDocuments()).to.equal(0);
      expect(await deps.collections.sync.countDocuments({ kind: 'thread' })).to.equal(0);
    });

    it('records nothing more of a forum that is not public any more', async () => {
      const one = server();
      const own = await listWhile(one, () => hide(one, one.channels[0]!));
      expect(await deps.collections.threads.distinct('title')).to.deep.equal(['On page 1']);
      expect(await deps.collections.sync.countDocuments({ kind: 'thread' })).to.equal(0);
      expect(own.servers.get(one.guild.id)?.channels.size).to.equal(0);
    });
  });

  it('ends without an error where the bot is removed from the server meanwhile', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const { platform } = answeringPlatform([one], {
      archived: (channelId) => ({ threads: pagesOf(one, channelId, 1), has_more: false }),
      async before({ route }) {
        if (route === 'archivedThreads') await suspendServer(own, serverId, 'It was removed');
      },
    });
    const own = syncDeps(deps, platform);
    await runRequest(own, aRequest({ serverId }));
    expect(await deps.collections.threads.countDocuments()).to.equal(0);
    const noted = await syncOf(deps.collections.sync, 'server').findOne({ _id: serverId });
    expect(noted?.problem).to.equal('It was removed');
  });

  describe('while the list of one forum fails', () => {
    /** Two servers with a thread in each forum. Listing the first forum of the first server fails. */
    function withError(error: () => Error | null) {
      const servers = ['Rust', 'Go'].map((name) => anAnsweredServer(name, ['help', 'news']));
      const [first] = servers as [AnsweredServer];
      const broken = first.channels[0]!.id;
      const pages = new Map(
        servers.flatMap((one) => one.channels.map(({ id }) => [id, pagesOf(one, id, 1)])),
      );
      const { platform, asked } = answeringPlatform(servers, {
        archived: (channelId) => ({ threads: pages.get(channelId)!, has_more: false }),
        before({ route, topId }) {
          const failure = route === 'archivedThreads' && topId === broken ? error() : null;
          return failure ? Promise.reject(failure) : Promise.resolve();
        },
      });
      return { first, broken, platform, asked };
    }
    const listed = () => deps.collections.threads.countDocuments();
    const requests = () => syncOf(deps.collections.sync, 'request');

    it('lists the other forums of its server, and reports the error', async () => {
      for (const error of [new PlatformAway('It is away'), new PlatformAnswerError('No list')]) {
        const { first, broken, platform } = withError(() => error);
        const { id: serverId } = first.guild;
        const served = runRequest(syncDeps(deps, platform), aRequest({ serverId }));
        expect(await served.catch((thrown: unknown) => thrown)).to.equal(error);
        const found = await deps.collections.threads.distinct('channelId', { serverId });
        expect(found).to.deep.equal([first.channels[1]!.id]).and.not.to.include(broken);
      }
    });

    it('records on the server what is wrong with an answer', async () => {
      const { first, platform } = withError(() => new PlatformAnswerError('No list'));
      await runRequest(syncDeps(deps, platform), aRequest());
      const { id: serverId } = first.guild;
      const server = await syncOf(deps.collections.sync, 'server').findOne({ _id: serverId });
      expect(server?.problem).to.equal('No list');
      expect(await listed()).to.equal(3);
    });

    it('asks again only for the server for which the platform was away, until it answers', async () => {
      let isAway = true;
      const { first, platform, asked } = withError(() =>
        isAway ? new PlatformAway('Away') : null,
      );
      const own = syncDeps(deps, platform);
      await requests().insertOne(aRequest());
      const serve = async () => {
        asked.length = 0;
        const served = await runRequest(own, (await requests().findOne())!).then(
          () => 'done',
          (error: unknown) => (error as Error).message,
        );
        const looked = asked.filter(({ route }) => route === 'guild').map(({ topId }) => topId);
        return { served, looked: looked.length };
      };
      expect(await serve()).to.deep.equal({ served: 'Away', looked: 2 });
      expect(await listed()).to.equal(3);
      expect(await requests().findOne()).to.deep.include({ left: [first.guild.id] });
      expect(await serve()).to.deep.equal({ served: 'Away', looked: 1 });
      isAway = false;
      expect(await serve()).to.deep.equal({ served: 'done', looked: 1 });
      expect(await listed()).to.equal(4);
    });

    it('is served again after growing delays while the platform is away', async () => {
      await requests().insertOne(aRequest());
      const now = Date.now();
      const clock = mock.method(Date, 'now', () => now);
      try {
        for (const waitMs of [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]) {
          await postponeRequest(requests(), (await requests().findOne())!);
          expect((await requests().findOne())!.dueAt).to.deep.equal(new Date(now + waitMs));
        }
      } finally {
        clock.mock.restore();
      }
      // A request that is made again meanwhile is not delayed.
      const before = (await requests().findOne())!;
      await requests().updateOne({}, { $set: { at: new Date(0) }, $unset: { dueAt: '' } });
      await postponeRequest(requests(), before);
      expect(await requests().findOne()).to.not.have.property('dueAt');
    });

    it('tells the operator that the platform is away, in the log and in the state of events', async () => {
      const platform: PlatformClient = { get: () => Promise.reject(new PlatformAway('No route')) };
      const warned: string[] = [];
      const logger = Object.assign(Object.create(deps.logger) as typeof deps.logger, {
        warn: ({ err }: { err: Error }, message: string) =>
          warned.push(`${message}: ${err.message}`),
      });
      const clock = createLiveClock(deps.collections.state);
      const options = { ...QUIET, gateway: { token: 'T', isPlain: true, problem: null } };
      const sync = runSync({ ...deps, logger }, { platform, clock }, options);
      try {
        await until(async () => (await readEventsState(deps.collections))?.problem === 'No route');
        const told = 'The platform is away, and is asked again later: No route';
        await until(() => warned.includes(told));
      } finally {
        await sync.stop();
      }
    });

    it('is not served before its time has come, while others are', async () => {
      const { first, platform, asked } = withError(() => new PlatformAway('Away'));
      const { id: serverId } = first.guild;
      const state = stateOf(deps.collections.state, 'sync');
      const [past, later] = [new Date(0), new Date(Date.now() + HOUR_MS)];
      await requests().insertMany([
        aRequest({ _id: 'postponed', serverId, at: past, dueAt: later }),
        aRequest({ _id: 'other', channelId: first.channels[1]!.id }),
      ]);
      const sync = startSync(platform);
      try {
        await until(async () => (await requests().findOne({ _id: 'other' }))!.listed === true);
        expect(await requests().findOne({ _id: 'postponed' })).not.to.have.property('tries');
        await state.updateOne({ _id: 'sync' }, { $set: { problem: 'An earlier one' } });
        await requests().updateOne({ _id: 'postponed' }, { $set: { dueAt: past } });
        await until(
          async () => (await requests().findOne({ _id: 'postponed' }))!.tries !== undefined,
        );
        // Requests are served, so the problem is over. A request that was served is not served again.
        await until(async () => (await state.findOne({ _id: 'sync' }))?.problem === null);
        expect(asked.filter(({ route }) => route === 'channel')).to.have.length(1);
      } finally {
        await sync.stop();
      }
    });
  });
});
