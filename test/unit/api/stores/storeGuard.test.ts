import { expect } from 'chai';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { pino } from 'pino';
import { createGuard, StoreAway } from '../../../../services/api/stores/storeGuard.js';
import { watchStore, type StoreWatch } from '../../../../shared/platform/watchStore.js';

describe('createGuard', () => {
  let watch: StoreWatch;
  afterEach(() => watch.stop());

  /** The guard of a store that answers pings like this. It notes for each call whether the store failed. */
  function aGuard(ping: () => Promise<unknown>) {
    const failures: boolean[] = [];
    watch = watchStore({ name: 'store', ping, logger: pino({ level: 'silent' }) });
    const guard = createGuard(watch, (_seconds, failed) => failures.push(failed), 2_500);
    return { guard, failures };
  }

  it('counts a call as failed only where the store did not answer it', async () => {
    const { guard, failures } = aGuard(() => Promise.resolve());
    expect(await guard(() => Promise.resolve('found'))).to.equal('found');
    for (const error of [
      new MongoServerError({ message: 'The key is taken', code: 11_000 }),
      new MongoNetworkError('The connection is closed'),
    ]) {
      const thrown: unknown = await guard(() => Promise.reject(error)).catch((e: unknown) => e);
      expect(thrown).to.equal(error);
    }
    expect(failures).to.deep.equal([false, false, true]);
  });

  it('has a store that answers calls count as up, though it does not answer a ping', async () => {
    let fail = (_error: Error): void => undefined;
    const { guard } = aGuard(() => new Promise((_, reject) => (fail = reject)));
    const looked = watch.look();
    await guard(() => Promise.resolve());
    fail(new Error('It is too busy'));
    expect(await looked).to.equal(true);
  });

  it('makes no call, and counts none, while the store is away', async () => {
    const { guard, failures } = aGuard(() => Promise.reject(new Error('Nothing listens')));
    expect(await watch.look()).to.equal(false);
    const call = (): Promise<never> => expect.fail('The call was made');
    const thrown: unknown = await guard(call).catch((error: unknown) => error);
    expect(thrown).to.be.instanceOf(StoreAway);
    expect((thrown as StoreAway).headers).to.deep.equal({ 'Retry-After': '2' });
    expect(failures).to.deep.equal([]);
  });

  it('ends a call that takes too long, and counts it as failed', async () => {
    const { guard, failures } = aGuard(() => Promise.resolve());
    const never = () => new Promise<never>(() => undefined);
    const thrown: unknown = await guard(never).catch((error: unknown) => error);
    expect(thrown).to.include({ name: 'TimeoutError' });
    expect(failures).to.deep.equal([true]);
  });
});
