import { expect } from 'chai';
import { createServerLooks } from '../../../services/indexer/gateway/serverLooks.js';
import { syncOf } from '../../../shared/store/syncRecords.js';
import {
  anAnsweredServer,
  answeringPlatform,
  hide,
  syncDeps,
} from '../../support/answeringPlatform.js';
import { indexerSuite } from '../../support/suiteStores.js';

describe('looks at servers', () => {
  const { deps } = indexerSuite('emptied');

  it('hold the events of a server until the last look that was asked for has ended', async () => {
    const one = anAnsweredServer('Rust', ['help']);
    const { id: serverId } = one.guild;
    let second: Promise<void> | undefined;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const { platform } = answeringPlatform([one], {
      async before({ route }) {
        // The first look is under way by then.
        if (route === 'me' && !second) second = looks.look(serverId);
        else if (route === 'guild' && second) await released;
      },
    });
    const looks = createServerLooks(syncDeps(deps, platform));
    await looks.look(serverId);
    const isHeld = looks.pending(serverId) !== null;
    release();
    await second;
    expect(isHeld).to.equal(true);
    expect(looks.pending(serverId)).to.equal(null);
  });

  it('request a list of the threads of a server where one finds another public forum, and only then', async () => {
    const one = anAnsweredServer('Rust', ['help', 'news']);
    const [help, news] = one.channels;
    hide(one, news!);
    const looks = createServerLooks(syncDeps(deps, answeringPlatform([one]).platform));
    const { id: serverId } = one.guild;
    const requests = syncOf(deps.collections.sync, 'request');
    await looks.look(serverId);
    hide(one, help!);
    await looks.look(serverId);
    expect(await requests.countDocuments({ kind: 'request' })).to.equal(0);
    news!.permission_overwrites = [];
    await looks.look(serverId);
    expect(await requests.distinct('serverId', { kind: 'request' })).to.deep.equal([serverId]);
  });
});
