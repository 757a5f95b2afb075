import { expect } from 'chai';
import type { IndexerDeps } from '../../../services/indexer/deps.js';
import type { Sync } from '../../../services/indexer/sync/runSync.js';
import { stateOf } from '../../../shared/store/state.js';
import { createRandom } from '../../faults/random.js';
import { until, untilEqual } from '../../support/apiServer.js';
import { randomOperation } from '../../support/discord/history/randomOperation.js';
import type { DiscordOptions } from '../../support/discord/settings.js';
import { startDiscord } from '../../support/discord/startDiscord.js';
import type { DiscordDouble } from '../../support/discord/types.js';
import { dyingProcess } from '../../support/dyingDeps.js';
import { doAll, indexerDeps } from '../../support/indexerDeps.js';
import { openStores, type TestStores } from '../../support/stores.js';
import {
  archivedState,
  differences,
  publicState,
  startTestSync,
  syncAgain,
  untilListening,
  untilSynced,
} from '../../support/syncRig.js';
import { verifyNow } from '../../support/verifiedArchive.js';

/** What a client sends. */
const Op = { Identify: 2, Resume: 6 };

/** The steps that the events of `talk` take, and some of what else goes on. */
const LAST_STEP = 24;

describe('a session of the gateway', () => {
  let stores: TestStores;
  let deps: IndexerDeps;
  let discord: DiscordDouble;
  let sync: Sync | null = null;

  async function start(options: DiscordOptions = {}): Promise<void> {
    discord = await startDiscord({ rateLimits: false, identifySpacingMs: 0, ...options });
    listen();
    await untilListening(deps);
    await untilSynced(deps);
  }
  function listen(by: IndexerDeps = deps, repairEveryMs?: number): void {
    sync = startTestSync(by, stores, discord, {
      ...{ listens: true, ...(repairEveryMs !== undefined && { repairEveryMs }) },
    });
  }
  function sent(op: number): number {
    return discord.gateway.commands.filter((one) => one.op === op).length;
  }
  function gateway() {
    return stateOf(deps.collections.state, 'gateway').findOne({ _id: 'gateway' });
  }
  function talk(): void {
    const { model } = discord;
    const { thread, messages } = model
      .publicThreads()
      .find((one) => !one.thread.isArchived && one.messages.length > 4)!;
    model.clock.advance(60_000);
    model.post(thread.id, { authorId: thread.ownerId, content: `At ${model.clock.now()}` });
    model.edit(thread.id, messages[1]!.id, { content: `Edited at ${model.clock.now()}` });
    model.updateThread(thread.id, { name: `Title of ${model.clock.now()}` });
    model.deleteMessage(thread.id, messages.at(-1)!.id);
  }
  async function untilSame(): Promise<void> {
    await untilEqual(
      async () => differences(await archivedState(deps), publicState(discord)).join('\n'),
      '',
    );
  }
  /** What a killed process holds ends in twenty seconds: here at once. */
  async function endLease(): Promise<void> {
    const free = { $set: { until: new Date(0) } };
    await stateOf(deps.collections.state, 'sync').updateOne({ _id: 'sync' }, free);
  }

  beforeEach(async () => {
    stores = await openStores();
    deps = indexerDeps(stores);
  });
  afterEach(async () => {
    await sync?.stop();
    sync = null;
    await discord.close();
    await stores.close();
  });

  it('goes on where it was when its connection is cut, closed, or falls silent', async () => {
    await start({ heartbeatMs: 300 });
    const ends: (() => void | Promise<void>)[] = [
      () => discord.gateway.cut(),
      () => discord.gateway.requestReconnect(),
      () => discord.gateway.close(4000),
      () => discord.gateway.invalidate(true),
      async () => {
        discord.gateway.freeze(true);
        talk();
        await until(async () => (await gateway())?.connectedAt === null);
        discord.gateway.freeze(false);
      },
    ];
    for (const [n, end] of ends.entries()) {
      await end();
      talk();
      await untilSame();
      await untilListening(deps);
      // On a busy machine a heartbeat may be answered too late, which cuts the connection once more.
      expect(sent(Op.Resume), `after end ${n}`).to.be.at.least(n + 1);
    }
    expect(sent(Op.Identify)).to.equal(1);
  });

  it('that cannot be resumed is followed by another, and what was missed is found', async () => {
    await start();
    discord.gateway.invalidate(false);
    talk();
    await sync!.stop();
    listen(deps, 10);
    await until(() => sent(Op.Identify) === 2);
    await untilSame();
    expect(discord.gateway.commands.findLast(({ op }) => op === Op.Identify)?.place).to.equal(
      'gateway',
    );
    await sync!.stop();
    discord.gateway.forgetSessions();
    talk();
    listen(deps, 10);
    await until(() => sent(Op.Identify) === 3);
    await untilSame();
  });

  it('is handed over from one process to the next', async () => {
    await start();
    await sync!.stop();
    talk();
    listen();
    await untilSame();
    talk();
    await untilSame();
    expect([sent(Op.Identify), sent(Op.Resume)]).to.deep.equal([1, 1]);
  });

  it('is not begun again where the platform takes no connection of the bot; lists go on', async () => {
    discord = await startDiscord({ rateLimits: false });
    for (const [code, problem] of [
      [4014, 'Message Content intent'],
      [4011, 'more servers than one connection may serve'],
    ] as const) {
      discord.gateway.refuseWith = code;
      const identified = sent(Op.Identify);
      listen();
      await until(async () => (await gateway())?.problem?.includes(problem) === true);
      await untilSynced(deps);
      talk();
      await syncAgain(deps);
      expect(discord.gateway.connections).to.equal(0);
      expect(sent(Op.Identify)).to.equal(identified + 1);
      await sync!.stop();
    }
  });

  it('ends with everything else when the token is refused', async () => {
    await start();
    discord.resetToken();
    const problem = async () =>
      (await stateOf(deps.collections.state, 'sync').findOne({ _id: 'sync' }))?.problem;
    await until(async () => (await problem())?.includes('DISCORD_BOT_TOKEN') === true);
    expect(sent(Op.Resume)).to.equal(0);
  });

  it('is not begun when nearly as many were begun as may be in a day', async () => {
    discord = await startDiscord({ rateLimits: false });
    discord.gateway.identifiesLeft = 60;
    listen();
    await until(async () => (await gateway())?.problem?.includes('sessions') === true);
    expect(sent(Op.Identify)).to.equal(0);
  });

  it('loses nothing when its process is killed between any two steps', async () => {
    await start();
    await sync!.stop();
    for (let step = 1; step <= LAST_STEP; step += 7) {
      const dying = dyingProcess(deps);
      listen(dying.deps);
      await untilListening(deps);
      await untilSynced(deps);
      const recorded = (await gateway())!.session!.seq;
      dying.dieAt(step);
      talk();
      await until(
        async () => dying.isDead || ((await gateway())?.session?.seq ?? 0) >= recorded + 5,
      );
      // It leaves its connection. Nothing of what it does is carried out any more.
      const left = sync!.stop();
      dying.bury();
      await left;
      await endLease();
      listen();
      await untilSame();
      await sync!.stop();
    }
    expect(sent(Op.Identify)).to.equal(1);
  });

  it('keeps the archive equal to the platform whatever happens', async () => {
    await start({ seed: 7 });
    const random = createRandom(7);
    const { gateway: controls, model } = discord;
    for (let n = 0; n < 250; n += 1) {
      model.clock.advance(random.below(60_000));
      randomOperation(model, random, { keepsAccess: true });
      if (random.chance(0.03)) controls.cut();
      if (random.chance(0.02)) controls.requestReconnect();
      controls.copies = random.chance(0.1) ? 2 : 1;
      controls.starterFirst = random.chance(0.5);
      if (n % 80 === 79) {
        await sync!.stop();
        listen(deps, 20);
      }
      if (n % 10 === 0) await untilListening(deps);
    }
    await untilSame();
    await doAll(deps);
    await stores.refreshSearch();
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
  });
});
