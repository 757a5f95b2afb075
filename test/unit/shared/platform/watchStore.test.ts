import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { watchStore, type StoreWatch } from '../../../../shared/platform/watchStore.js';
import { until } from '../../../support/apiServer.js';

let lines = '';
const logger = pino({ level: 'warn' }, { write: (line) => void (lines += line) });
const never = () => new Promise<never>(() => undefined);

describe('watchStore', () => {
  let ping: () => Promise<unknown>;
  let changes: boolean[];
  let watch: StoreWatch;
  beforeEach(() => {
    ping = () => Promise.resolve();
    changes = [];
    lines = '';
    watch = watchStore({
      name: 'a store',
      ping: () => ping(),
      logger,
      onChange: (isUp) => void changes.push(isUp),
    });
  });
  afterEach(() => watch.stop());

  it('notices a silent store, and its return', async () => {
    await watch.look();
    ping = never;
    await until(() => !watch.isUp);
    ping = () => Promise.resolve();
    await until(() => watch.isUp);
    expect(changes).to.deep.equal([false, true]);
  });

  it('pings at once when a call failed, and notices that the store refuses', async () => {
    await watch.look();
    // So soon after a ping, it would not ping again by itself.
    await pause(60);
    let asked = 0;
    ping = () => {
      asked += 1;
      return Promise.reject(new Error('refused'));
    };
    watch.suspect();
    expect(asked).to.equal(1);
    await until(() => !watch.isUp);
    expect(lines).to.include('A store is away').and.to.include('refused');
  });

  it('counts a store as up that answers calls, however slow its pings are', async () => {
    await watch.look();
    ping = never;
    const timer = setInterval(() => watch.answered(), 50);
    expect(await watch.look()).to.equal(true);
    expect(await watch.look()).to.equal(true);
    clearInterval(timer);
    expect(watch.isUp).to.equal(true);
  });

  it('stops pinging when it is stopped, even if an answer is still to come', async () => {
    await watch.look();
    let asked = 0;
    let refuse = (): void => undefined;
    ping = () =>
      new Promise((_, reject) => {
        asked += 1;
        refuse = () => reject(new Error('closed'));
      });
    const last = watch.look();
    watch.stop();
    refuse();
    expect(await last).to.equal(false);
    await pause(100);
    expect(asked).to.equal(1);
  });

  it('needs one refusal of a store that never answered', async () => {
    watch.stop();
    const refuse = () => Promise.reject(new Error('refused'));
    watch = watchStore({ name: 'another', ping: refuse, logger });
    expect(await watch.look()).to.equal(false);
    expect(watch.isUp).to.equal(false);
  });

  it('pings once for all who look at the same time', async () => {
    await watch.look();
    let asked = 0;
    ping = () => Promise.resolve((asked += 1));
    await Promise.all([watch.look(), watch.look(), watch.look()]);
    expect(asked).to.equal(1);
  });

  it('pings seldom while nobody uses the store, and often from its next use on', async () => {
    const asked = { used: 0, unused: 0 };
    let unusedBefore: number | undefined;
    ping = () => {
      unusedBefore ??= asked.unused;
      return Promise.resolve((asked.used += 1));
    };
    const ofUnused = () => Promise.resolve((asked.unused += 1));
    const unused = watchStore({ name: 'a store that nobody uses', ping: ofUnused, logger });
    await unused.look();
    await pause(20);
    await watch.look();
    Object.assign(asked, { used: 0, unused: 0 });
    unusedBefore = undefined;
    watch.used();
    // Unless the store was used, this one would be pinged after the other.
    await until(() => asked.used > 0);
    expect(unusedBefore).to.equal(0);
    await until(() => {
      watch.used();
      return asked.used > asked.unused + 4;
    });
    unused.stop();
  });
});
