import { expect } from 'chai';
import { ingest } from '../../../services/indexer/ingest/ingest.js';
import { claimMarks } from '../../../services/indexer/work/claims.js';
import type { Commit } from '../../../services/indexer/work/commit.js';
import { runClaimed, runDue } from '../../../services/indexer/work/runMarks.js';
import type { ServerStats } from '../../../shared/contract/servers.js';
import type { UserProfile } from '../../../shared/contract/users.js';
import { ALL_SERVERS } from '../../../shared/store/bodyKinds.js';
import type { AvailableTag, SourceThread } from '../../../shared/store/records.js';
import { liveTime } from '../../../shared/store/sourceTime.js';
import { markId } from '../../../shared/store/work.js';
import { aSourceMessage, aSourceThread } from '../../support/factories.js';
import { build, doAll, inBatches, record } from '../../support/indexerDeps.js';
import { readBody } from '../../support/readBody.js';
import { indexerSuite } from '../../support/suiteStores.js';
import { verifyNow } from '../../support/verifiedArchive.js';

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

  it('reach the statistics of a server without threads, which tell when it was last read', async () => {
    const times: string[] = [];
    for (const asOf of [first.asOf, first.asOf + 1_000_000]) {
      await ingest(deps, { told: { ...first, asOf, thread: null } }, inBatches([]));
      await doAll(deps);
      const stats = await readBody<ServerStats>(deps.collections, `stats/${first.server._id}`);
      times.push(stats!.lastSyncAt);
      expect((await verifyNow(deps)).differences).to.deep.equal([]);
    }
    const [earlier, later] = times.map((time) => Date.parse(time)) as [number, number];
    expect(later).to.equal(earlier + 1_000);
  });

  it('reach the statistics of a server where an export is newer than what the platform told', async () => {
    const { server, channel } = first;
    const at = (time: string) => Date.parse(time) * 1_000;
    const told = [liveTime(at('2026-01-01T00:00:00Z')), at('2026-06-01T00:00:00Z')];
    for (const asOf of told) {
      const source = aSourceThread({ asOf, server, channel });
      await record(deps, source, [aSourceMessage({ threadId: source.thread._id, asOf })]);
    }
    await doAll(deps);
    const stats = await readBody<ServerStats>(deps.collections, `stats/${server._id}`);
    expect(stats!.lastSyncAt).to.equal('2026-06-01T00:00:00.000Z');
  });

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

  it("reach the profile of somebody who is being counted there for the first time while the server's name changes", async () => {
    const source = aSourceThread();
    const threadId = source.thread._id;
    const said = aSourceMessage({ _id: threadId, threadId });
    const userId = said.author.id;
    await record(deps, source, [said]);
    await build(deps, threadId);
    const { work } = deps.collections;
    const mark = await work.findOne({ _id: markId('person', userId) });
    let isRenamed = false;
    // By now, the build of the person has read the old name.
    const commit = (async (change) => {
      if (!isRenamed) {
        isRenamed = true;
        const server = { ...source.server, name: 'Renamed' };
        await record(deps, { ...source, asOf: source.asOf + 1, server });
        await runDue(deps, {}, ['people']);
      }
      return deps.commit(change);
    }) as Commit;
    await runClaimed({ ...deps, commit }, 'person', await claimMarks(deps, [mark!]));
    await doAll(deps);
    const profile = await readBody<UserProfile>(deps.collections, `user/${userId}`);
    expect(profile?.servers.map(({ serverName }) => serverName)).to.deep.equal(['Renamed']);
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
