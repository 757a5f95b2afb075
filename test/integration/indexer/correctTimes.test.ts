import { expect } from 'chai';
import type { Collections } from '../../../shared/store/collections.js';
import type { ChannelRecord } from '../../../shared/store/records.js';
import { NEVER_CHECKED } from '../../../shared/store/syncRecords.js';
import { correctTimes } from '../../../services/indexer/sync/correctTimes.js';
import { suiteStores } from '../../support/suiteStores.js';

type SyncRecord = Parameters<Collections['sync']['insertOne']>[0];

describe('times of the sync that a wrong clock has stored', () => {
  const stores = suiteStores();

  it('are corrected, and all others stay', async () => {
    const { sync, channels } = stores.mongo.collections;
    const began = Date.now();
    const hours = (count: number): Date => new Date(began + count * 3_600_000);
    const [before, soon, year] = [hours(-1), hours(1), hours(9_000)];
    const records = [
      { _id: 'due', kind: 'thread', dueAt: year, readAt: year },
      { _id: 'soon', kind: 'thread', dueAt: soon, readAt: before },
      { _id: 'message', kind: 'message', dueAt: year },
      { _id: 'request', kind: 'request', dueAt: year },
      { _id: 'file', kind: 'file', dueAt: year },
      { _id: 'asked', kind: 'member', checkedAt: soon },
      { _id: 'known', kind: 'member', checkedAt: before },
      { _id: 'refused', kind: 'channel', refusedAt: soon },
      { _id: 'hidden', kind: 'channel', refusedAt: before },
    ];
    await sync.insertMany(records as unknown as SyncRecord[]);
    const forums = [
      { _id: 'withheld soon', withheldAt: soon },
      { _id: 'withheld', withheldAt: before },
      { _id: 'shown' },
    ];
    await channels.insertMany(forums as unknown as ChannelRecord[]);
    await correctTimes(stores.mongo.collections);
    const found = (await sync.find().toArray()) as unknown as Record<string, unknown>[];
    const now = found.find(({ _id }) => _id === 'due')!['dueAt'] as Date;
    expect(now.getTime()).to.be.within(began, Date.now());
    expect(found).to.have.deep.members([
      { _id: 'due', kind: 'thread', dueAt: now },
      records[1],
      { _id: 'message', kind: 'message', dueAt: now },
      { _id: 'request', kind: 'request', dueAt: now },
      records[4],
      { _id: 'asked', kind: 'member', checkedAt: NEVER_CHECKED },
      records[6],
      { _id: 'refused', kind: 'channel' },
      records[8],
    ]);
    expect(await channels.find().toArray()).to.have.deep.members([
      { _id: 'withheld soon', withheldAt: now },
      forums[1],
      forums[2],
    ]);
  });
});
