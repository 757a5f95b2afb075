import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { watchStore, type StoreWatch } from '../../../../shared/platform/watchStore.js';
import { until } from '../../../support/apiServer.js';

const logger = pino({ level: 'silent' });
const never = () => new Promise<never>(() => undefined);

describe('watchStore', () => {
  let ping: () => Promise<unknown>;
  let changes: boolean[];
  let watch: StoreWatch;
  beforeEach(() => {
    ping = () => Promise.resolve();
    changes = [];
    watch = watchStore({
      ...{ name: 'a store', ping: () => ping(), logger },
      onChange: (isUp) => void changes.push(isUp),
    });
  });
  afterEach(() => watch.stop());

  it('finds out about a silent store that is used within two seconds, and about its return', async () => {
    await watch.look();
    ping = never;
    watch.used();
    await until(() => !watch.isUp, 2_000 + 500);
    ping = () => Promise.resolve();
    await until(() => watch.isUp, 2_000);
    expect(changes).to.deep.equal([false, true]);
  });

  it('finds out at once when something failed and the store refuses', async () => {
    await watch.look();
    await new Promise((resolve) => setTimeout(resolve, 60));
    ping = () => Promise.reject(new Error('refused'));
    watch.suspect();
    await until(() => !watch.isUp, 300);
  });

  it('believes one that answers other questions, however slow its signs of life', async () => {
    await watch.look();
    ping = never;
    const timer = setInterval(() => watch.answered(), 50);
    expect(await watch.look()).to.equal(true);
    expect(await watch.look()).to.equal(true);
    clearInterval(timer);
    expect(watch.isUp).to.equal(true);
  });

  it('needs one refusal of a store that never answered', async () => {
    watch.stop();
    const refuse = () => Promise.reject(new Error('refused'));
    watch = watchStore({ name: 'another', ping: refuse, logger });
    expect(await watch.look()).to.equal(false);
    expect(watch.isUp).to.equal(false);
  });

  it('asks once for all who look at the same time', async () => {
    await watch.look();
    let asked = 0;
    ping = () => Promise.resolve((asked += 1));
    await Promise.all([watch.look(), watch.look(), watch.look()]);
    expect(asked).to.equal(1);
  });

  it('asks seldom while nobody uses the store', async () => {
    let asked = 0;
    ping = () => Promise.resolve((asked += 1));
    await watch.look();
    await pause(1_200);
    expect(asked).to.be.below(3);
    const before = asked;
    watch.used();
    await until(() => asked > before, 4_000);
  });
});
