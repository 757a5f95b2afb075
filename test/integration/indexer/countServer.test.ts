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
});
