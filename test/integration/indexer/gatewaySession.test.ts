import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { stateOf } from '../../../shared/store/state.js';
import { createRandom } from '../../faults/random.js';
import { killAt } from '../../faults/sync/killAt.js';
import { until } from '../../support/apiServer.js';
import { randomOperation } from '../../support/discord/history/randomOperation.js';
import type { DiscordOptions } from '../../support/discord/settings.js';
import { emptyMongo } from '../../support/stores.js';
import {
  doTheRest,
  gatewayState,
  syncAgain,
  syncSuite,
  talk,
  untilListening,
  untilSynced,
} from '../../support/syncRig.js';
import { verifyNow } from '../../support/verifiedArchive.js';

/** The operations that a client sends. */
const Op = { Identify: 2, Resume: 6 };
const GUILD_MEMBERS = 1 << 1;

describe('a session of the gateway', () => {
  const rig = syncSuite();
  const { stores, deps } = rig;

  async function start(options: DiscordOptions = {}): Promise<void> {
    await rig.open(options);
    listen();
    await untilListening(deps, rig.discord);
    await untilSynced(deps);
  }
  function listen(repairEveryMs?: number): void {
    rig.start({ listens: true, ...(repairEveryMs !== undefined && { repairEveryMs }) });
  }
  function sent(op: number): number {
    return rig.discord.gateway.commands.filter((one) => one.op === op).length;
  }

  it('continues after its connection is cut, closed, or falls silent', async () => {
    await start({ heartbeatMs: 1_000 });
    const identified = sent(Op.Identify);
    const ends: (() => void | Promise<void>)[] = [
      () => rig.discord.gateway.cut(),
      () => rig.discord.gateway.requestReconnect(),
      () => rig.discord.gateway.close(4000),
      () => rig.discord.gateway.invalidate(true),
      async () => {
        const { opened } = rig.discord.gateway;
        rig.discord.gateway.freeze(true);
        talk(rig.discord);
        await until(() => rig.discord.gateway.opened > opened);
        rig.discord.gateway.freeze(false);
      },
    ];
    for (const [n, end] of ends.entries()) {
      await end();
      talk(rig.discord);
      await rig.untilSame();
      await untilListening(deps, rig.discord);
      // On a busy machine, a heartbeat may be answered too late. Then the connection is cut once more.
      await until(() => sent(Op.Resume) > n);
    }
    expect(sent(Op.Identify)).to.equal(identified);
  });

  it('is resumed after its connections ended again and again, and the status tells why meanwhile', async () => {
    await start();
    const problem = async () => (await gatewayState(deps))?.problem ?? null;
    const told = /ends again and again \(close code 4000\)/;
    await until(async () => {
      rig.discord.gateway.close(4_000);
      return told.test((await problem()) ?? '');
    });
    await until(async () => (await problem()) === null);
    await untilListening(deps, rig.discord);
  });

  it('continues when a resume gets no answer, although heartbeats do', async () => {
    await start({ heartbeatMs: 1_000 });
    const [identified, resumed] = [sent(Op.Identify), sent(Op.Resume)];
    rig.discord.gateway.ignoresSessions = true;
    rig.discord.gateway.cut();
    talk(rig.discord);
    await until(() => sent(Op.Resume) > resumed + 1);
    rig.discord.gateway.ignoresSessions = false;
    await rig.untilSame();
    expect(sent(Op.Identify)).to.equal(identified);
  });

  it('is kept while each connection resumes it, however short the connections are', async () => {
    await start({ resumeMs: 3_600_000 });
    const now = performance.now.bind(performance);
    let aheadMs = 0;
    performance.now = () => now() + aheadMs;
    try {
      for (const _ of [1, 2]) {
        const before = (await gatewayState(deps))!.connectedAt!;
        rig.discord.gateway.cut();
        // A pause between two connections, so that neither of them lasts.
        await pause(20);
        aheadMs = 6 * 60_000;
        // The stored state may still be that of the connection that was cut. The next one must not be cut before the
        // platform has answered it.
        await until(async () => ((await gatewayState(deps))!.connectedAt ?? before) > before);
        await untilListening(deps, rig.discord);
      }
    } finally {
      performance.now = now;
    }
    expect(sent(Op.Identify)).to.equal(1);
  });

  it('is replaced where it cannot be resumed, and what was missed is found', async () => {
    await start();
    rig.discord.gateway.invalidate(false);
    talk(rig.discord);
    await rig.sync.stop();
    listen(50);
    await until(() => sent(Op.Identify) === 2);
    await rig.untilSame();
    expect(rig.discord.gateway.commands.findLast(({ op }) => op === Op.Identify)?.place).to.equal(
      'gateway',
    );
    await rig.sync.stop();
    rig.discord.gateway.forgetSessions();
    talk(rig.discord);
    listen(50);
    await until(() => sent(Op.Identify) === 3);
    await rig.untilSame();
  });

  it('begins anew after the database was dropped while the indexer ran', async () => {
    await start();
    await emptyMongo(stores.mongo);
    rig.discord.gateway.invalidate(false);
    await until(() => sent(Op.Identify) === 2);
    await untilListening(deps, rig.discord);
  });

  it('is handed over from one process to the next', async () => {
    await start();
    await rig.sync.stop();
    talk(rig.discord);
    listen();
    await rig.untilSame();
    talk(rig.discord);
    await rig.untilSame();
    expect([sent(Op.Identify), sent(Op.Resume)]).to.deep.equal([1, 1]);
  });

  it('is replaced at a restart after the portal has granted or withdrawn an intent', async () => {
    await start({ guildMembers: false });
    for (const [n, granted] of [true, false].entries()) {
      await rig.sync.stop();
      rig.discord.settings.guildMembers = granted;
      listen();
      await until(() => sent(Op.Identify) === n + 2);
      await untilListening(deps, rig.discord);
      const { intents = 0 } = (await gatewayState(deps))?.session ?? {};
      expect((intents & GUILD_MEMBERS) !== 0).to.equal(granted);
    }
    expect(sent(Op.Resume)).to.equal(0);
    await rig.sync.stop();
    listen();
    await until(() => sent(Op.Resume) === 1);
    expect(sent(Op.Identify)).to.equal(3);
  });

  it('is replaced at once when the portal withdraws an optional intent', async () => {
    await start({ guildMembers: true });
    rig.discord.settings.guildMembers = false;
    rig.discord.gateway.close(4_014);
    await until(() => sent(Op.Identify) === 2);
    await untilListening(deps, rig.discord);
    const { problem, session } = (await gatewayState(deps))!;
    expect(problem).to.equal(null);
    expect(session!.intents! & GUILD_MEMBERS).to.equal(0);
  });

  it('is replaced where an earlier version has stored it without its intents', async () => {
    await start();
    await rig.sync.stop();
    const gateway = stateOf(deps.collections.state, 'gateway');
    await gateway.updateOne({ _id: 'gateway' }, { $unset: { 'session.intents': '' } });
    listen();
    await until(() => sent(Op.Identify) === 2);
    await untilListening(deps, rig.discord);
    expect(sent(Op.Resume)).to.equal(0);
  });

  it('is replaced at a restart after the platform has closed it for good', async () => {
    await start();
    rig.discord.gateway.close(4_014);
    const problem = async () => (await gatewayState(deps))?.problem ?? '';
    await until(async () => (await problem()).includes('Message Content intent'));
    expect((await gatewayState(deps))?.session).to.equal(null);
    await rig.sync.stop();
    listen();
    await until(() => sent(Op.Identify) === 2);
    await untilListening(deps, rig.discord);
    expect(sent(Op.Resume)).to.equal(0);
  });

  it('is not begun again where the platform refuses connections of the bot; lists are still read', async () => {
    await rig.open();
    for (const [code, problem] of [
      [4014, 'Message Content intent'],
      [4011, 'more servers than one connection may serve'],
    ] as const) {
      rig.discord.gateway.refuseWith = code;
      const identified = sent(Op.Identify);
      listen();
      await until(async () => (await gatewayState(deps))?.problem?.includes(problem) === true);
      await untilSynced(deps);
      talk(rig.discord);
      await syncAgain(deps);
      expect(rig.discord.gateway.connections).to.equal(0);
      expect(sent(Op.Identify)).to.equal(identified + 1);
      await rig.sync.stop();
    }
  });

  it('ends together with all other work when the token is refused', async () => {
    await start();
    rig.discord.resetToken();
    const problem = async () =>
      (await stateOf(deps.collections.state, 'sync').findOne({ _id: 'sync' }))?.problem;
    await until(async () => (await problem())?.includes('DISCORD_BOT_TOKEN') === true);
    expect(sent(Op.Resume)).to.equal(0);
  });

  it('is not begun where nearly as many were begun as a day allows', async () => {
    await rig.open();
    rig.discord.gateway.identifiesLeft = 60;
    listen();
    await until(async () => (await gatewayState(deps))?.problem?.includes('sessions') === true);
    expect(sent(Op.Identify)).to.equal(0);
  });

  it('loses nothing when its process is killed between any two steps', async () => {
    await start();
    await rig.sync.stop();
    const kills = [1, 8, 15, 22].map((step) => ({ step, isCarriedOut: step % 2 === 0 }));
    for (const kill of kills) await killAt(rig, kill);
    expect(sent(Op.Identify)).to.equal(1);
  });

  it('keeps the archive equal to the platform through random changes', async () => {
    await start({ seed: 7 });
    const random = createRandom(7);
    const { gateway: controls, model } = rig.discord;
    for (let n = 0; n < 250; n += 1) {
      model.clock.advance(random.below(60_000));
      randomOperation(model, random, { keepsAccess: true });
      if (random.chance(0.03)) controls.cut();
      if (random.chance(0.02)) controls.requestReconnect();
      controls.copies = random.chance(0.1) ? 2 : 1;
      controls.starterFirst = random.chance(0.5);
      if (n % 80 === 79) {
        await rig.sync.stop();
        listen(50);
      }
      if (n % 10 === 0) await untilListening(deps, rig.discord);
    }
    await rig.untilSame();
    await untilListening(deps, rig.discord);
    // Late reads could come between the end of the work and the comparison.
    await rig.sync.stop();
    await doTheRest(deps);
    await stores.refreshSearch();
    expect((await verifyNow(deps)).differences).to.deep.equal([]);
  });
});
