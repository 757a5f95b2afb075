import { expect } from 'chai';
import { loadServer } from '../../../services/indexer/sync/loadServer.js';
import {
  anAnsweredServer,
  answeringPlatform,
  hide,
  syncDeps,
} from '../../support/answeringPlatform.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('a look at a server', () => {
  const { deps } = indexerSuite('emptied');

  it('withholds a forum that is hidden before it asks for the roles of the bot', async () => {
    const server = anAnsweredServer('Rust', ['help', 'news']);
    const [help] = server.channels;
    const withheld: string[][] = [];
    const { platform } = answeringPlatform([server], {
      async before({ route }) {
        if (route !== 'me' && route !== 'member') return;
        const isWithheld = { withheldAt: { $exists: true } };
        withheld.push(await deps.collections.channels.distinct('_id', isWithheld));
      },
    });
    const own = syncDeps(deps, platform);
    await loadServer(own, server.guild.id);
    hide(server, help!);
    await loadServer(own, server.guild.id);
    expect(withheld).to.deep.equal([[], [], [help!.id], [help!.id]]);
  });
});
