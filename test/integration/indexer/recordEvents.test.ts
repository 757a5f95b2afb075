import { expect } from 'chai';
import { createEventRecorder } from '../../../services/indexer/gateway/recordEvents.js';
import type { GatewayEvent } from '../../../services/indexer/gateway/gatewayEvents.js';
import { createLiveClock } from '../../../services/indexer/stores/liveClock.js';
import { loadServer } from '../../../services/indexer/sync/loadServer.js';
import { noteThreads } from '../../../services/indexer/sync/noteThreads.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import { anAnsweredServer, answeringPlatform, syncDeps } from '../../support/answeringPlatform.js';
import { aLiveThread } from '../../support/liveAnswers.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('the recorder of events', () => {
  const { deps } = indexerSuite('emptied');

  it('has a server read from its beginning that the bot has left, and is back on before any look', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const clock = createLiveClock(deps.collections.state);
    const own = syncDeps(deps, answeringPlatform([one]).platform, { clock });
    const server = await loadServer(own, serverId);
    const thread = aLiveThread({ guild_id: serverId, parent_id: one.channels[0]!.id });
    await noteThreads(own, server, { threads: [thread], asOf: server.asOf });
    const known = () => deps.collections.sync.countDocuments({ kind: 'thread', serverId });
    expect(await known()).to.equal(1);
    const recorder = createEventRecorder(own);
    const events: GatewayEvent[] = [
      { kind: 'left', serverId },
      { kind: 'threads', serverId },
    ];
    for (const event of events) recorder.take(event, 1, () => undefined);
    await recorder.end();
    expect(await known()).to.equal(0);
    expect([...own.servers.get(serverId)!.channels.keys()]).to.deep.equal([one.channels[0]!.id]);
    const noted = await syncOf(deps.collections.sync, 'server').findOne({ _id: serverId });
    expect(noted?.problem).to.equal(null);
    const asked = await syncOf(deps.collections.sync, 'request').distinct('_id');
    expect(asked).to.include(`server/${serverId}`);
  });

  it('notes at once that the bot is not on a server', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    const clock = createLiveClock(deps.collections.state);
    const own = syncDeps(deps, answeringPlatform([one]).platform, { clock });
    await loadServer(own, serverId);
    const recorder = createEventRecorder(own);
    recorder.take({ kind: 'left', serverId }, 1, () => undefined);
    await recorder.end();
    expect(own.servers.has(serverId)).to.equal(false);
    const noted = await syncOf(deps.collections.sync, 'server').findOne({ _id: serverId });
    expect(noted?.problem).to.equal('The bot is not on this server');
  });
});
