import { expect } from 'chai';
import { loadServer } from '../../../services/indexer/sync/loadServer.js';
import { noteThreads } from '../../../services/indexer/sync/noteThreads.js';
import { runRequest } from '../../../services/indexer/sync/runRequest.js';
import type { SyncDeps } from '../../../services/indexer/sync/syncDeps.js';
import type { LiveThread } from '../../../shared/discordApi/answerTypes.js';
import type { SyncRequestRecord } from '../../../shared/store/syncRecords.js';
import {
  anAnsweredServer,
  answeringPlatform,
  hide,
  syncDeps,
  type AnsweredServer,
} from '../../support/answeringPlatform.js';
import { aLiveThread } from '../../support/liveAnswers.js';
import { indexerSuite } from '../../support/suiteStores.js';

/** A request for everything, or for a server. */
function aRequest(more: Partial<SyncRequestRecord> = {}): SyncRequestRecord {
  return { _id: 'asked', kind: 'request', at: new Date(), ...more };
}

describe('a request to sync', () => {
  const { deps } = indexerSuite('emptied');

  /** Pages of a forum's archived threads, one thread on each, a second older than that before. */
  function pagesOf({ guild }: AnsweredServer, channelId: string, count: number): LiveThread[] {
    return Array.from({ length: count }, (_, n) =>
      aLiveThread({
        ...{ guild_id: guild.id, parent_id: channelId, name: `On page ${n + 1}` },
        thread_metadata: {
          ...{ archived: true, locked: false },
          archive_timestamp: new Date(Date.UTC(2026, 0, 1) - n * 1_000).toISOString(),
        },
      }),
    );
  }

  describe('during whose list its server changes', () => {
    const server = () => anAnsweredServer('Rust', ['help']);

    /** Lists a forum of three pages. Before the second is answered, the server changes, and is looked at. */
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

    it('keeps what a later look has told where a thread is noted by an earlier one', async () => {
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
});
