import { expect } from 'chai';
import { GatewayOpcodes } from 'discord-api-types/v10';
import { until } from '../../support/apiServer.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { indexerDeps } from '../../support/indexerDeps.js';
import { end, startService, type ServiceProcess } from '../../support/serviceProcess.js';
import { openStores, type TestStores } from '../../support/stores.js';
import {
  doTheRest,
  gatewayState,
  untilListening,
  untilSame,
  untilSynced,
} from '../../support/syncRig.js';
import { verifyNow } from '../../support/verifiedArchive.js';

describe('two indexers, when the one that listens to events is killed', () => {
  let stores: TestStores;
  let discord: DiscordDouble;
  const indexers: ServiceProcess[] = [];

  before(async () => {
    stores = await openStores();
    const history = { forums: 1, threads: 4, messages: 12 };
    discord = await startDiscord({ rateLimits: false, history });
  });
  after(async () => {
    await Promise.all(indexers.map((indexer) => end(indexer, 'SIGKILL')));
    await discord.close();
    await stores.close();
  });

  const start = async (): Promise<ServiceProcess> => {
    const indexer = await startService('indexer', {
      MONGODB_URL: stores.mongodbUrl,
      DISCORD_BOT_TOKEN: discord.token,
      DISCORD_API_URL: discord.url,
      PUBLIC_URL: 'https://archive.example',
    });
    indexers.push(indexer);
    return indexer;
  };
  const sent = (op: number) => discord.gateway.commands.filter((one) => one.op === op);

  it('the other continues after the last recorded event, and nothing is lost', async () => {
    const deps = indexerDeps(stores);
    const recorded = async () => (await gatewayState(deps))?.session?.seq ?? 0;
    const first = await start();
    await untilListening(deps, discord);
    await untilSynced(deps);
    await start();
    const { model } = discord;
    const { thread, messages } = model
      .publicThreads()
      .find((one) => !one.thread.isArchived && one.messages.length > 6)!;
    let said = 0;
    const talk = (): void => {
      model.clock.advance(1_000);
      said += 1;
      model.post(thread.id, { authorId: thread.ownerId, content: `Said ${said}` });
      model.edit(thread.id, messages[1]!.id, { content: `Edited ${said}` });
      model.updateThread(thread.id, { name: `Title ${said}` });
    };
    const before = await recorded();
    for (let n = 0; n < 30; n += 1) talk();
    model.deleteMessage(thread.id, messages[2]!.id);
    await until(async () => (await recorded()) > before);
    const killedAt = Date.now();
    await end(first, 'SIGKILL');
    let looks = 0;
    await until(() => {
      if (looks % 50 === 0) talk();
      looks += 1;
      return sent(GatewayOpcodes.Resume).length > 0;
    });
    const [resumed] = sent(GatewayOpcodes.Resume);
    console.log(`      The session was resumed ${(resumed!.at - killedAt) / 1_000} s after it`);
    model.deleteMessage(thread.id, messages[3]!.id);
    await untilSame(deps, discord);
    expect(sent(GatewayOpcodes.Identify)).to.have.length(1);
    await end(indexers[1]!, 'SIGTERM');
    await doTheRest(deps);
    await stores.refreshSearch();
    await doTheRest(deps);
    await stores.refreshSearch();
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
  });
});
