import { expect } from 'chai';
import { PlatformAnswerError } from '../../../../shared/discordApi/platformErrors.js';
import type { GatewaySocket } from '../../../../services/indexer/gateway/gatewaySocket.js';
import { createListener } from '../../../../services/indexer/gateway/listener.js';
import type { SyncDeps } from '../../../../services/indexer/sync/syncDeps.js';

/** More bytes than may wait. */
const TOO_MUCH = 17 << 20;

/** The dependencies of a listener whose events are never recorded, because the clock gives no times until the end. */
function withoutTimes() {
  const stop = new AbortController();
  const take = () =>
    new Promise<never>((_resolve, reject) => {
      stop.signal.addEventListener('abort', () => reject(new Error('It is to end')));
    });
  const collections = { state: { updateOne: () => Promise.resolve({}) } };
  const deps = {
    clock: { take },
    collections,
    signal: stop.signal,
    listening: { since: null },
    servers: new Map(),
  };
  return { deps: deps as unknown as SyncDeps, stop };
}

/** A connection that records what it is told. */
function aSocket() {
  const told: boolean[] = [];
  const socket: GatewaySocket = {
    ended: new Promise(() => undefined),
    setPaused: (isPaused) => void told.push(isPaused),
  };
  return { socket, told };
}

describe('a listener', () => {
  it('pauses the connection on which too much came, and also the next one', async () => {
    const { deps, stop } = withoutTimes();
    const session = { id: 'S', url: 'wss://a.example', botId: '9', seq: 1, since: new Date() };
    const listener = createListener(deps, { session, takenAt: 1 });
    const [first, second] = [aSocket(), aSocket()];
    listener.attach(first.socket, 0);
    const [guild, channel, message] = [1, 2, 3].map((n) => `30000000000000000${n}`);
    const data = { guild_id: guild, channel_id: channel, ids: [message] };
    listener.take({ type: 'MESSAGE_DELETE_BULK', seq: 2, data }, TOO_MUCH);
    expect(first.told.at(-1)).to.equal(true);
    listener.detach();
    listener.attach(second.socket, 0);
    expect(second.told).to.deep.equal([true]);
    stop.abort();
    await listener.end();
  });

  it('blames the platform for a session that does not begin as it should', async () => {
    const { deps, stop } = withoutTimes();
    const listener = createListener(deps, { session: null, takenAt: 1 });
    const ready = { type: 'READY', seq: 1, data: { session_id: 'S' } };
    expect(() => listener.take(ready, 10)).to.throw(PlatformAnswerError, /READY: .*required/);
    expect(listener.session).to.equal(null);
    stop.abort();
    await listener.end();
  });

  it('logs one event of each type that cannot be read, and not every one of a burst', async () => {
    const { deps, stop } = withoutTimes();
    const types: unknown[] = [];
    const logger = { warn: ({ type }: { type: string }) => void types.push(type) };
    const listener = createListener({ ...deps, logger } as unknown as SyncDeps, {
      session: null,
      takenAt: 1,
    });
    for (const type of ['MESSAGE_CREATE', 'MESSAGE_CREATE', 'THREAD_DELETE', 'MESSAGE_CREATE'])
      listener.take({ type, seq: 1, data: {} }, 10);
    expect(types).to.deep.equal(['MESSAGE_CREATE', 'THREAD_DELETE']);
    stop.abort();
    await listener.end();
  });
});
