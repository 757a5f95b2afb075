import { expect } from 'chai';
import { syncRows } from '../../../services/cli/status/syncRows.js';
import type { SyncStats } from '../../../shared/contract/admin.js';

describe('the rows of a status that tell of the live sync', () => {
  it('tell what is not synced, and where something cannot be read', () => {
    const checkedAt = '2026-01-01T00:00:00.000Z';
    const place = { serverId: '1', checkedAt, problem: null };
    const forum = (name: string, failed: number, problem: string | null = null) => ({
      ...place,
      channelId: name,
      name,
      problem,
      threads: { found: 9, fetched: 9, failed },
    });
    const state: SyncStats = {
      threads: { found: 9, fetched: 9 },
      messages: { found: 9, fetched: 9 },
      perSecond: 0,
      secondsLeft: 0,
      problem: null,
      events: null,
      optedOut: 0,
      servers: [{ ...place, name: 'Rust' }],
      channels: [forum('help', 2), forum('news', 0), forum('staff', 0, 'It is private')],
    };
    expect(syncRows(state).slice(2)).to.deep.equal([
      ['Not synced', 'staff: It is private'],
      ['Cannot be read', 'help: 2 threads, or messages there'],
    ]);
  });
});
