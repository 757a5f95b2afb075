import { mock } from 'node:test';
import { expect } from 'chai';
import { countServer } from '../../../services/indexer/build/countServer.js';
import type { ServerStats } from '../../../shared/contract/servers.js';
import { aThreadItem } from '../../support/apiViews.js';
import { aServer } from '../../support/factories.js';
import { readsOfEach } from '../../support/readsOfEach.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('counting a server', () => {
  const { stores, deps } = indexerSuite();

  it('reads only those of its threads that have reactions', async () => {
    const { servers, threadItems } = deps.collections;
    await servers.insertOne(aServer({ _id: '10' }));
    const items = Array.from({ length: 300 }, (_, n) => {
      const status = n % 2 ? 'open' : 'archived';
      const item = aThreadItem({ threadId: `${n}`, serverId: '10', messageCount: 2, status });
      const reactions = n % 100 ? [] : [{ emoji: n > 0 ? '👍' : '❤', count: 3 }];
      return { ...item, facts: { ...item.facts, botMessages: 1, reactions } };
    });
    await threadItems.insertMany([...items, aThreadItem({ threadId: '999', serverId: '11' })]);
    let stats: ServerStats['stats'] | undefined;
    const read = await readsOfEach(stores.mongo, threadItems, async () => {
      const bodies = await countServer(deps, '10');
      stats = (JSON.parse(bodies.get('stats/10')!) as ServerStats).stats;
    });
    expect(stats).to.deep.include({
      threads: { total: 300, open: 150, resolved: 0, archived: 150 },
      messages: { total: 600, byHumans: 300, byBots: 300, avgPerThread: 2 },
      reactions: { total: 9, uniqueEmojis: 2 },
    });
    expect(Math.max(...read)).to.equal(3);
  });

  it('counts its threads by calls that each count few of them', async () => {
    const { servers, threadItems } = deps.collections;
    await servers.insertOne(aServer({ _id: '20' }));
    const statuses = ['open', 'archived'] as const;
    const items = Array.from({ length: 25 }, (_, n) => {
      const sketch = { threadId: `${5_000 + n}`, serverId: '20', messageCount: 2 };
      const item = aThreadItem({ ...sketch, status: statuses[n % 2]! });
      const reactions = n % 3 ? [] : [{ emoji: n % 2 ? '👍' : '❤', count: 2 }];
      return { ...item, facts: { ...item.facts, reactions } };
    });
    await threadItems.insertMany(items);
    const whole = await countServer(deps, '20');
    for (const most of [1, 5, 10, 25, 26]) {
      const asked = mock.method(threadItems, 'aggregate');
      const inParts = await countServer(deps, '20', most);
      const windows = asked.mock.calls.map(({ arguments: [steps] }) => steps![0]!.$match as object);
      asked.mock.restore();
      expect(inParts).to.deep.equal(whole);
      for (const which of windows)
        expect(await threadItems.countDocuments(which)).to.be.at.most(most);
    }
    const { stats } = JSON.parse(whole.get('stats/20')!) as ServerStats;
    expect(stats).to.deep.include({
      threads: { total: 25, open: 13, resolved: 0, archived: 12 },
      reactions: { total: 18, uniqueEmojis: 2 },
    });
  });
});
