import { expect } from 'chai';
import { LRUCache } from 'lru-cache';
import type { PlatformClient, PlatformRequest } from '../../../shared/discordApi/platformClient.js';
import {
  PlatformAnswerError,
  PlatformAway,
  PlatformForbidden,
  PlatformRefused,
} from '../../../shared/discordApi/platformErrors.js';
import { requestErasure } from '../../../shared/store/erasures.js';
import { memberId } from '../../../shared/store/optOuts.js';
import { NEVER_CHECKED, syncOf } from '../../../shared/store/syncRecords.js';
import {
  learnRoles,
  noteRolesOfEvent,
  readRoles,
} from '../../../services/indexer/sync/memberRoles.js';
import { checkMembers } from '../../../services/indexer/sync/checkMembers.js';
import { judgeMembersAgain } from '../../../services/indexer/sync/judgeMembersAgain.js';
import { noteRoles } from '../../../services/indexer/sync/noteRoles.js';
import { noteUnknown } from '../../../services/indexer/sync/noteUnknown.js';
import type { LoadedServer } from '../../../services/indexer/sync/syncDeps.js';
import { eraseUser } from '../../../services/indexer/jobs/eraseUser.js';
import { REPORT_NOBODY } from '../../../services/indexer/report.js';
import { syncDeps } from '../../support/answeringPlatform.js';
import { until } from '../../support/apiServer.js';
import { everyTrace } from '../../support/everyTrace.js';
import { anId } from '../../support/factories.js';
import { doAll } from '../../support/indexerDeps.js';
import { indexerSuite } from '../../support/suiteStores.js';

const ROLE = '1300000000000000001';

describe('roles of members', () => {
  const { stores, deps } = indexerSuite('cleared');
  const [serverId, userId] = [anId(), anId()];

  /** What is needed to note roles, and a platform whose late answers hold the roles at the time of the request. */
  function rolesOf(told: { roles: string[] }, ofServer = [{ id: ROLE, name: 'No archive' }]) {
    const roles = new Map([[ROLE, {}]]);
    const looked = { serverId, asOf: 1, optOutRoles: new Set([ROLE]), roles };
    const server = looked as unknown as LoadedServer;
    let asOf = 100;
    const asking = { now: 0, most: 0, all: 0 };
    const get = async ({ path }: PlatformRequest<unknown>) => {
      asking.all += 1;
      asking.now += 1;
      asking.most = Math.max(asking.most, asking.now);
      // It answers a question about the server, too.
      const value = { roles: path.includes('/members/') ? [...told.roles] : ofServer };
      asOf += 1;
      const answer = { value, asOf };
      await deps.collections.sync.findOne({ _id: 'none' });
      asking.now -= 1;
      return answer;
    };
    const platform = { get } as unknown as PlatformClient;
    const servers = new Map([[serverId, server]]);
    return {
      ...syncDeps(deps, platform, { servers, optOutEntries: ['no archive'] }),
      server,
      asking,
    };
  }
  const isOut = async () => (await deps.collections.optOuts.countDocuments()) === 1;

  it('count in the order of their events, even while an earlier one is being noted', async () => {
    const told = { roles: [ROLE] };
    const own = rolesOf(told);
    const note = (roleIds: string[], asOf: number) =>
      noteRolesOfEvent(own, { serverId, userId, roleIds, asOf });
    await note([ROLE], 10);
    expect(await isOut()).to.equal(true);
    told.roles = [];
    const first = note([], 20);
    const second = note([ROLE], 200);
    await Promise.all([first, second]);
    expect(await isOut()).to.equal(true);
    const third = note([], 210);
    told.roles = [ROLE];
    await Promise.all([third, note([ROLE], 220)]);
    expect(await isOut()).to.equal(true);
  });

  it('are asked for a few authors of a page at a time, so that other requests come in between', async () => {
    const own = rolesOf({ roles: [ROLE] });
    const authorIds = Array.from({ length: 60 }, () => anId());
    await learnRoles(own, { serverId, optOutRoles: new Set() }, authorIds);
    expect(own.asking).to.include({ all: 0 });
    await learnRoles(own, own.server, authorIds);
    expect(own.asking).to.include({ all: 60, now: 0 });
    expect(own.asking.most).to.be.within(1, 4);
    expect(await deps.collections.optOuts.countDocuments()).to.equal(60);
  });

  it('are recorded in one transaction, with the time of the question, or with none but that', async () => {
    const own = rolesOf({ roles: [ROLE] });
    let stored = 0;
    const commit: typeof deps.commit = (change) => {
      stored += 1;
      return deps.commit(change);
    };
    const counting = { ...own, commit: Object.assign(commit, { first: commit }) };
    const member = { serverId, userId };
    const checkedAt = async () =>
      (await syncOf(deps.collections.sync, 'member').findOne({ userId }))!.checkedAt.getTime();
    const began = Date.now();
    await readRoles(counting, member);
    expect([stored, await isOut()]).to.deep.equal([1, true]);
    const first = await checkedAt();
    expect(first).to.be.within(began, Date.now());
    // Nothing is known of another author, who carries no such role.
    const other = rolesOf({ roles: [] });
    await readRoles({ ...other, commit: counting.commit }, { serverId, userId: anId() });
    expect(stored).to.equal(2);
    // This process knows that they are not left out. So only the time is recorded.
    other.members.set(memberId(serverId, userId), false);
    await deps.collections.optOuts.deleteMany({});
    await readRoles({ ...other, commit: counting.commit }, member);
    expect(stored).to.equal(3);
    expect(await checkedAt()).to.be.at.least(first);
  });

  it('count as of the time at which they were told, whichever is noted last', async () => {
    const own = rolesOf({ roles: [ROLE] });
    await noteRoles(own, { serverId, userId, roleIds: [ROLE], asOf: 20 });
    await noteRoles(own, { serverId, userId, roleIds: [], asOf: 10 });
    expect(await isOut()).to.equal(true);
  });

  it('are judged by the opt-out roles that are configured when the choice is stored', async () => {
    const own = rolesOf({ roles: [ROLE] });
    const commit: typeof deps.commit = (change) => {
      // Meanwhile, a look at the server has found this.
      Object.assign(own.server, { optOutRoles: new Set(['2']) });
      return deps.commit(change);
    };
    await noteRoles({ ...own, commit }, { serverId, userId, roleIds: [ROLE], asOf: 20 });
    expect(await isOut()).to.equal(false);
  });

  it('are asked for again where the server was suspended while they were being noted', async () => {
    const own = rolesOf({ roles: [ROLE] });
    const commit: typeof deps.commit = (change) => {
      own.servers.clear();
      return deps.commit(change);
    };
    await readRoles({ ...own, commit }, { serverId, userId });
    expect(await isOut()).to.equal(false);
    own.servers.set(serverId, own.server);
    await learnRoles(own, own.server, [userId]);
    expect(await isOut()).to.equal(true);
  });

  it('are not known where the platform says no more than that it does not know the server', async () => {
    const own = rolesOf({ roles: [ROLE] });
    const get = () => Promise.reject(new PlatformRefused('Unknown Guild', 404, 10_004));
    const platform = { get } as unknown as PlatformClient;
    const asked = learnRoles({ ...own, platform }, own.server, [userId]);
    expect(await asked.catch(String)).to.equal('PlatformRefused: Unknown Guild');
    await learnRoles(own, own.server, [userId]);
    expect(await isOut()).to.equal(true);
  });

  it('count when an event tells them while an earlier answer is being noted', async () => {
    const told = { roles: [] as string[] };
    const own = rolesOf(told);
    await learnRoles(own, own.server, [userId]);
    told.roles = [ROLE];
    let event: Promise<void> | undefined;
    const get: PlatformClient['get'] = async (request) => {
      const answer = await own.platform.get(request);
      told.roles = [];
      event ??= noteRolesOfEvent(own, { serverId, userId, roleIds: [], asOf: 1_000 });
      return answer;
    };
    await readRoles({ ...own, platform: { get } }, { serverId, userId });
    await event;
    expect(await isOut()).to.equal(false);
    // Most events are of people who are not left out, so these must not cost anything.
    const commit = () => Promise.reject(new Error('The database was asked'));
    await noteRoles({ ...own, commit }, { serverId, userId, roleIds: [], asOf: 2_000 });
  });

  it('are known from an event while a process that has just begun looks for them', async () => {
    const told = { roles: [] as string[] };
    const own = rolesOf(told);
    await learnRoles(own, own.server, [userId]);
    own.members.clear();
    const { optOuts } = deps.collections;
    const late = Object.create(optOuts, {
      distinct: {
        async value(...asked: Parameters<typeof optOuts.distinct>) {
          const found = (await optOuts.distinct(...asked)) as unknown[];
          await noteRolesOfEvent(own, { serverId, userId, roleIds: [ROLE], asOf: 101.5 });
          return found;
        },
      },
    }) as typeof optOuts;
    await learnRoles({ ...own, collections: { ...deps.collections, optOuts: late } }, own.server, [
      userId,
    ]);
    expect(await isOut()).to.equal(true);
    // An event shows them again only where it is known that they are left out.
    await noteRolesOfEvent(own, { serverId, userId, roleIds: [], asOf: 200 });
    expect(await isOut()).to.equal(false);
  });

  it('are known to a process that has just begun, which asks for them no more', async () => {
    const own = rolesOf({ roles: [ROLE] });
    await learnRoles(own, own.server, [userId]);
    own.members.clear();
    await learnRoles(own, own.server, [userId]);
    expect(own.asking).to.include({ all: 1 });
    expect([...own.members.values()]).to.deep.equal([true]);
    // Other roles leave people out now, so everybody is to be asked for again.
    own.members.clear();
    const known = syncOf(deps.collections.sync, 'member');
    await known.updateMany({}, { $set: { checkedAt: NEVER_CHECKED } });
    await learnRoles(own, own.server, [userId]);
    expect(own.asking).to.include({ all: 2 });
  });

  it('stay as they are of somebody who has left the server, and are asked for an hour later', async () => {
    const own = rolesOf({ roles: [ROLE] });
    const [noted, restored, unknown] = [anId(), anId(), anId()];
    await readRoles(own, { serverId, userId: noted });
    const { optOuts, sync } = deps.collections;
    // After a restore, the choice is known, and the sync has no note of the person.
    const _id = memberId(serverId, restored);
    await optOuts.insertOne({ _id, serverId, userId: restored, roleIds: [ROLE] });
    const get = () => Promise.reject(new PlatformRefused('Unknown Member', 404, 10_007));
    const began = new Date();
    for (const one of [noted, restored, unknown])
      await readRoles({ ...own, platform: { get } }, { serverId, userId: one });
    const left = await optOuts.distinct('userId');
    expect(left).to.have.members([noted, restored]);
    const isOutOf = (one: string) => own.members.get(memberId(serverId, one));
    expect([noted, restored, unknown].map(isOutOf)).to.deep.equal([true, true, false]);
    const members = await syncOf(sync, 'member').find({ kind: 'member' }).toArray();
    const times = new Map(members.map((one) => [one.userId, one]));
    for (const one of [noted, restored, unknown])
      expect(times.get(one)!.checkedAt).to.be.at.least(began);
    expect(times.get(noted)!.asOf).to.equal(101);
    expect(times.get(restored)!.asOf).to.equal(0);
  });

  it('show somebody again who gave up the last role that is left, after another was deleted', async () => {
    const own = rolesOf({ roles: [] });
    own.server.optOutRoles = new Set([ROLE, '2']);
    await noteRoles(own, { serverId, userId, roleIds: [ROLE, '2'], asOf: 1 });
    expect(await isOut()).to.equal(true);
    await noteRoles(own, { serverId, userId, roleIds: [], asOf: 2 });
    expect(await isOut()).to.equal(false);
  });

  it('stay as an event has told them while the person was looked for', async () => {
    const own = rolesOf({ roles: [ROLE] });
    const { sync } = deps.collections;
    const late = Object.create(sync, {
      distinct: {
        async value(...asked: Parameters<typeof sync.distinct>) {
          const found = (await sync.distinct(...asked)) as unknown[];
          await noteRolesOfEvent(own, { serverId, userId, roleIds: [ROLE], asOf: 50 });
          return found;
        },
      },
    }) as typeof sync;
    const _id = memberId(serverId, userId);
    const unknown = { kind: 'member' as const, serverId, userId, asOf: 0 };
    await noteUnknown(late, [{ _id, ...unknown, checkedAt: NEVER_CHECKED }]);
    expect(await sync.findOne({ _id })).to.include({ asOf: 50 });
  });

  it('are asked for of the next person where those of one cannot be read', async () => {
    const own = rolesOf({ roles: [] });
    const ids = [userId, anId()];
    const notes = ids.map((one) => ({
      _id: memberId(serverId, one),
      kind: 'member' as const,
      serverId,
      userId: one,
      asOf: 0,
      checkedAt: NEVER_CHECKED,
    }));
    await syncOf(deps.collections.sync, 'member').insertMany(notes);
    /** Asks until there were so many answers, all of which are this error. Resolves with who was asked for. */
    const check = async (answer: Error, times: number): Promise<string[]> => {
      const asked: string[] = [];
      const stop = new AbortController();
      const get = ({ path }: PlatformRequest<unknown>) => {
        asked.push(path.split('/').at(-1)!);
        if (asked.length === times) stop.abort();
        return Promise.reject(answer);
      };
      const more = { platform: { get }, signal: stop.signal, listening: { since: null } };
      await checkMembers({ ...own, ...more }, 1);
      return asked;
    };
    // This must not end the sync.
    expect(await check(new PlatformAway('It is away'), 1)).to.have.length(1);
    expect(await check(new PlatformRefused('Not this one', 400, null), 2)).to.have.members(ids);
  });

  it('are not asked for one after the other without a rest where the bot may see nobody', async () => {
    const own = rolesOf({ roles: [] });
    const { sync } = deps.collections;
    const notes = Array.from({ length: 2 }, () => {
      const one = anId();
      const member = { kind: 'member' as const, serverId, userId: one, asOf: 0 };
      return { _id: memberId(serverId, one), ...member, checkedAt: NEVER_CHECKED };
    });
    await syncOf(sync, 'member').insertMany(notes);
    let asked = 0;
    const stop = new AbortController();
    const get = () => {
      asked += 1;
      return Promise.reject(new PlatformForbidden('Missing Access', 403, 50_001));
    };
    const more = { platform: { get }, signal: stop.signal, listening: { since: null } };
    const checking = checkMembers({ ...own, ...more }, 1);
    const isNoted = { kind: 'member' as const, checkedAt: { $gt: NEVER_CHECKED } };
    await until(async () => (await sync.countDocuments(isNoted)) > 0);
    // In this time, the next one would be looked for and asked for.
    for (let n = 0; n < 20; n += 1) await sync.countDocuments(isNoted);
    stop.abort();
    await checking;
    expect(asked).to.equal(1);
  });

  it('are asked for nobody who was erased, and earlier notes are removed', async () => {
    const own = rolesOf({ roles: [ROLE] });
    await learnRoles(own, own.server, [userId]);
    await requestErasure(deps.collections, userId);
    own.members.clear();
    await learnRoles(own, own.server, [userId]);
    await readRoles(own, { serverId, userId });
    await noteRolesOfEvent(own, { serverId, userId, roleIds: [ROLE], asOf: 1_000 });
    expect(own.asking).to.include({ all: 1 });
    expect(await deps.collections.sync.countDocuments({ kind: 'member' })).to.equal(0);
    expect(await isOut()).to.equal(false);
  });

  it('count by a role that was made since the server was looked at', async () => {
    const made = { id: anId(), name: 'No archive' };
    const own = rolesOf({ roles: [made.id] }, [{ id: ROLE, name: 'No archive' }, made]);
    await learnRoles(own, own.server, [userId]);
    expect(await isOut()).to.equal(true);
    const [first, second] = [anId(), anId()];
    const told = { serverId, roleIds: [made.id], asOf: 1_000 };
    await noteRolesOfEvent(own, { ...told, userId: first });
    expect(own.members.get(memberId(serverId, first))).to.equal(true);
    // The role is not one that opts out.
    made.name = 'Gardener';
    await noteRolesOfEvent(own, { ...told, userId: second });
    expect(own.members.get(memberId(serverId, second))).to.equal(false);
  });

  it('leave no id behind where an erasure begins and ends while they are being noted', async () => {
    const erase = async (erasedId: string): Promise<void> => {
      const erasureId = await requestErasure(deps.collections, erasedId);
      await eraseUser(deps, { erasureId }, REPORT_NOBODY);
    };
    // Where it is known that somebody is not left out, only that they were asked for is noted.
    const cases = [
      { roles: [ROLE], known: undefined },
      { roles: [], known: undefined },
      { roles: [], known: false },
    ];
    for (const { roles, known } of cases) {
      const erasedId = anId();
      const own = rolesOf({ roles });
      if (known !== undefined) own.members.set(memberId(serverId, erasedId), known);
      let changes = 0;
      const commit: typeof deps.commit = async (change) => {
        if (++changes === 1) await erase(erasedId);
        return deps.commit(change);
      };
      await readRoles({ ...own, commit }, { serverId, userId: erasedId });
      await doAll(deps);
      expect(changes).to.be.above(0);
      const traces = (await everyTrace(stores)).filter((text) => text.includes(erasedId));
      expect(traces).to.deep.equal([]);
    }
  });

  it('are asked for again when other roles leave people out just after they were judged', async () => {
    const own = rolesOf({ roles: [ROLE] });
    const known = syncOf(deps.collections.sync, 'member');
    let judgedAgain: Promise<unknown> = Promise.resolve();
    // A look at the server finds these roles as soon as the answer is noted.
    const members = Object.assign(new LRUCache<string, boolean>({ max: 10 }), {
      set: () => {
        judgedAgain = known.updateMany({}, { $set: { checkedAt: NEVER_CHECKED } });
        return members;
      },
    });
    await readRoles({ ...own, members }, { serverId, userId });
    await judgedAgain;
    expect((await known.findOne({ userId }))?.checkedAt).to.deep.equal(NEVER_CHECKED);
  });

  it('are asked for again when other roles leave people out while a judgement is being stored', async () => {
    const own = rolesOf({ roles: [ROLE] });
    let changes = 0;
    const commit: typeof deps.commit = async (change) => {
      const outcome = await deps.commit(change);
      changes += 1;
      if (changes === 1) {
        const looked = { ...own.server, optOutRoles: new Set(['2']) };
        own.servers.set(serverId, looked);
        await judgeMembersAgain(own, looked);
      }
      return outcome;
    };
    await readRoles({ ...own, commit }, { serverId, userId });
    const known = await syncOf(deps.collections.sync, 'member').findOne({ userId });
    expect(known?.checkedAt).to.deep.equal(NEVER_CHECKED);
  });

  it('are not noted by a process that has lost the lease, and may have judged by old roles of the server', async () => {
    const own = rolesOf({ roles: [] });
    const lost = new AbortController();
    const commit: typeof deps.commit = (change) => {
      lost.abort();
      return deps.commit(change);
    };
    const reading = readRoles({ ...own, signal: lost.signal, commit }, { serverId, userId });
    expect(await reading.catch((error: unknown) => error)).to.equal(lost.signal.reason);
    expect(await deps.collections.sync.countDocuments({ userId })).to.equal(0);
  });

  it('leave somebody out until they can be read, whatever an event has told', async () => {
    const own = rolesOf({ roles: [ROLE] });
    await learnRoles(own, own.server, [userId]);
    const get = () => Promise.reject(new PlatformAnswerError('No roles'));
    const failing = { ...own, platform: { get } };
    await noteRolesOfEvent(failing, { serverId, userId, roleIds: [], asOf: 1_000 });
    expect(await isOut()).to.equal(true);
    const noted = await syncOf(deps.collections.sync, 'member').findOne({ userId });
    expect(noted?.checkedAt).to.deep.equal(NEVER_CHECKED);
  });
});
