import { expect } from 'chai';
import { LRUCache } from 'lru-cache';
import type { PlatformClient } from '../../../shared/discordApi/platformClient.js';
import { createTurns } from '../../../services/indexer/jobs/oneAtATime.js';
import { learnRoles, noteRolesOfEvent } from '../../../services/indexer/sync/memberRoles.js';
import type { LoadedServer } from '../../../services/indexer/sync/syncDeps.js';
import { anId } from '../../support/factories.js';
import { indexerSuite } from '../../support/suiteStores.js';

const ROLE = '1300000000000000001';

describe('roles of members', () => {
  const { deps } = indexerSuite('reopened');
  const [serverId, userId] = [anId(), anId()];

  /** What notes roles needs, and a platform that answers as it was when it was asked, some time later. */
  function rolesOf(told: { roles: string[] }) {
    const roles = new Map([[ROLE, {}]]);
    const server = { serverId, optOutRoles: new Set([ROLE]), roles } as unknown as LoadedServer;
    let asOf = 100;
    const asking = { now: 0, most: 0, all: 0 };
    const get = async () => {
      asking.all += 1;
      asking.now += 1;
      asking.most = Math.max(asking.most, asking.now);
      const value = { roles: [...told.roles] };
      asOf += 1;
      const answer = { value, asOf };
      await deps.collections.sync.findOne({ _id: 'none' });
      asking.now -= 1;
      return answer;
    };
    return {
      ...{ ...deps, server, asking },
      servers: new Map([[serverId, server]]),
      members: new LRUCache<string, boolean>({ max: 10 }),
      turns: createTurns(),
      platform: { get } as unknown as PlatformClient,
      signal: new AbortController().signal,
    };
  }
  const isOut = async () => (await deps.collections.optOuts.countDocuments()) === 1;

  it('count in the order in which events told them, also while an earlier one is being noted', async () => {
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

  it('are asked for of a few authors of a page at once, so that others are asked for between', async () => {
    const own = rolesOf({ roles: [ROLE] });
    const authorIds = Array.from({ length: 60 }, () => anId());
    await learnRoles(own, own.server, authorIds);
    expect(own.asking).to.include({ all: 60, now: 0 });
    expect(own.asking.most).to.be.within(1, 4);
    expect(await deps.collections.optOuts.countDocuments()).to.equal(60);
  });
});
