import { expect } from 'chai';
import { ingest } from '../../../services/indexer/ingest/ingest.js';
import { ALL_SERVERS } from '../../../shared/store/bodyKinds.js';
import type { AvailableTag, SourceThread } from '../../../shared/store/records.js';
import { aSourceThread } from '../../support/factories.js';
import { inBatches } from '../../support/indexerDeps.js';
import { indexerSuite } from '../../support/suiteStores.js';

const TAG: AvailableTag = { id: '7', name: 'solved', emoji: null, moderated: false };

describe('marks that follow from a changed server or channel', () => {
  const { deps } = indexerSuite('emptied');
  const first = aSourceThread({
    server: { memberCount: 100 },
    channel: { topic: 'Ask here', availableTags: [TAG] },
  });

  /**
   * Records the server and its channel, and then a later source of both. Resolves with the kinds of marks that the
   * later source sets. `servers` stands for the mark of the list of servers.
   */
  async function marked(later: {
    server?: Partial<SourceThread['server']>;
    channel?: Partial<SourceThread['channel']>;
  }): Promise<string[]> {
    await ingest(deps, { told: first }, inBatches([]));
    await deps.collections.work.deleteMany({});
    const told = {
      asOf: first.asOf + 1,
      thread: null,
      server: { ...first.server, ...later.server },
      channel: { ...first.channel, ...later.channel },
    };
    await ingest(deps, { told }, inBatches([]));
    const marks = await deps.collections.work.find().toArray();
    return marks.map(({ kind, subject }) => (subject === ALL_SERVERS ? 'servers' : kind)).sort();
  }

  it('spare the profiles of its people where only the number of members changes', async () => {
    expect(await marked({ server: { memberCount: 101 } })).to.deep.equal(['server', 'servers']);
  });

  it("reach the profiles of its people where the server's name changes", async () => {
    expect(await marked({ server: { name: 'Renamed' } })).to.deep.equal([
      'people',
      'server',
      'servers',
    ]);
  });

  it('spare the threads of a channel where only its topic or place changes', async () => {
    const channel = { topic: 'Ask there', position: 4, parentId: '9', parentName: 'Help' };
    expect(await marked({ channel })).to.deep.equal(['server']);
  });

  it('reach the threads of a channel where its name changes', async () => {
    expect(await marked({ channel: { name: 'support' } })).to.deep.equal(['channel', 'server']);
  });

  it('reach the threads of a channel where its tags change', async () => {
    const availableTags = [{ ...TAG, name: 'answered' }];
    expect(await marked({ channel: { availableTags } })).to.deep.equal(['channel', 'server']);
  });
});
