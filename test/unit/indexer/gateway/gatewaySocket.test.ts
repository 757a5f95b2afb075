import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { expect } from 'chai';
import { WebSocket, WebSocketServer } from 'ws';
import {
  connectSocket,
  type GatewaySocket,
  type SocketEnd,
  type SocketOptions,
} from '../../../../services/indexer/gateway/gatewaySocket.js';
import { until, untilEqual } from '../../../support/apiServer.js';

const OP = { event: 0, heartbeat: 1, identify: 2, hello: 10, ack: 11 };
/** It is longer than any test, so that no heartbeat is late on a busy machine. */
const INTERVAL_MS = 300_000;

/** A gateway for one client. It says hello, and a test does the rest. Other clients may only ping it. */
class Gateway {
  readonly server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  readonly ops: number[] = [];
  /** The sequence numbers that heartbeats have told. */
  readonly beats: unknown[] = [];
  private socket: WebSocket | undefined;

  constructor() {
    this.server.on('connection', (socket, { url }) => {
      if (url === '/other') return;
      this.socket = socket;
      socket.on('message', (raw: Buffer) => {
        const { op, d } = JSON.parse(raw.toString()) as { op: number; d: unknown };
        this.ops.push(op);
        if (op === OP.heartbeat) this.beats.push(d);
      });
      this.send({ op: OP.hello, d: { heartbeat_interval: INTERVAL_MS } });
    });
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  send(payload: object): void {
    this.sendText(JSON.stringify(payload));
  }

  sendText(text: string): void {
    this.socket?.send(text);
  }

  tell(t: string): void {
    this.send({ op: OP.event, t, s: 1, d: {} });
  }

  acknowledge(times: number): void {
    for (let n = 0; n < times; n += 1) this.send({ op: OP.ack });
  }

  close(code: number): void {
    this.socket?.close(code);
  }

  /**
   * Answers pings of another client, one after the other. By then, everything that was sent before is read, if anything
   * is.
   */
  async answerOthers(times: number): Promise<void> {
    const other = new WebSocket(`${this.url}/other`);
    await once(other, 'open');
    for (let n = 0; n < times; n += 1) {
      other.ping();
      await once(other, 'pong');
    }
    other.terminate();
  }
}

describe('connectSocket', () => {
  let gateway: Gateway;
  let stop: AbortController;
  let events: string[];
  let socket: GatewaySocket;
  let end: SocketEnd | undefined;

  const connect = (
    url: string,
    onEvent: SocketOptions['onEvent'] = ({ type }) => void events.push(type),
  ) =>
    connectSocket({
      url,
      token: 'T',
      intents: 1,
      resume: null,
      signal: stop.signal,
      onEvent,
    });

  beforeEach(async () => {
    gateway = new Gateway();
    await once(gateway.server, 'listening');
    stop = new AbortController();
    events = [];
    end = undefined;
    socket = connect(gateway.url);
    void socket.ended.then((ended) => (end = ended));
  });
  afterEach(async () => {
    stop.abort();
    await socket.ended;
    gateway.server.close();
  });
  const untilIdentified = () => until(() => gateway.ops.includes(OP.identify));

  it('ends a connection whose identify gets no answer, although heartbeats do', async () => {
    await untilIdentified();
    gateway.acknowledge(3);
    await until(() => end !== undefined);
    expect(end).to.include({ isInvalid: false, isAnswered: false });
  });

  for (const answer of ['READY', 'RESUMED']) {
    it(`keeps a connection after ${answer}, however few events come`, async () => {
      await untilIdentified();
      gateway.acknowledge(2);
      gateway.tell(answer);
      gateway.acknowledge(6);
      gateway.tell('LAST');
      gateway.close(4_000);
      await until(() => end !== undefined);
      expect(events).to.deep.equal([answer, 'LAST']);
      const why = 'close code 4000';
      expect(end).to.deep.equal({ code: 4_000, why, isInvalid: false, isAnswered: true });
    });
  }

  it('asks for its session once, however often the platform says hello', async () => {
    await untilIdentified();
    gateway.send({ op: OP.hello, d: { heartbeat_interval: INTERVAL_MS } });
    gateway.send({ op: OP.heartbeat });
    await until(() => gateway.ops.includes(OP.heartbeat));
    expect(gateway.ops).to.deep.equal([OP.identify, OP.heartbeat]);
  });

  it('gives up a connection on which the platform does not say hello, and no other', async () => {
    const limits = new Map<number, () => void>();
    const set = mock.method(globalThis, 'setTimeout', (run: () => void) => {
      limits.set(limits.size + 1, run);
      return limits.size;
    });
    const silent = connect(`${gateway.url}/other`);
    const greeted = connect(gateway.url);
    set.mock.restore();
    const clear = globalThis.clearTimeout;
    const cleared = mock.method(globalThis, 'clearTimeout', (timer: number | undefined) => {
      if (!limits.delete(timer!)) clear(timer);
    });
    await until(() => gateway.ops.filter((op) => op === OP.identify).length === 2);
    await until(() => gateway.server.clients.size === 3);
    for (const run of limits.values()) run();
    expect(await silent.ended).to.include({ isInvalid: false, isAnswered: false });
    gateway.tell('READY');
    await until(() => events.includes('READY'));
    cleared.mock.restore();
    stop.abort();
    await greeted.ended;
  });

  it('tells why no connection can be opened', async () => {
    const { port } = gateway.server.address() as AddressInfo;
    const none = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(none, 'listening');
    const { port: closed } = none.address() as AddressInfo;
    await new Promise((resolve) => none.close(resolve));
    const refused = await connect(gateway.url.replace(String(port), String(closed))).ended;
    expect(refused.why).to.equal(`connect ECONNREFUSED 127.0.0.1:${closed}`);
  });

  it('opens no connection once it is told to stop', async () => {
    stop.abort();
    expect(await connect(gateway.url).ended).to.include({ isAnswered: false });
  });

  it('answers when the platform asks for a heartbeat, with the number of the last event', async () => {
    await untilIdentified();
    gateway.send({ op: OP.heartbeat });
    gateway.tell('READY');
    gateway.send({ op: OP.heartbeat });
    await untilEqual(() => gateway.beats, [null, 1]);
  });

  describe('whose heartbeats get no answer', () => {
    /** From now on, heartbeats come ten times a second. */
    const hurry = () => gateway.send({ op: OP.hello, d: { heartbeat_interval: 100 } });
    const beats = () => gateway.ops.filter((op) => op === OP.heartbeat).length;

    it('ends', async () => {
      await untilIdentified();
      hurry();
      await until(() => end !== undefined);
      expect(end).to.include({ code: 1_006, isInvalid: false });
    });

    it('goes on while it is paused, and no answer can be read', async () => {
      await untilIdentified();
      gateway.tell('READY');
      hurry();
      gateway.send({ op: OP.heartbeat });
      await until(() => beats() > 0);
      socket.setPaused(true);
      await until(() => beats() >= 5);
      expect(end).to.equal(undefined);
    });
  });

  it('leaves a session with a code that does not end it', async () => {
    await untilIdentified();
    const left = once([...gateway.server.clients][0]!, 'close');
    stop.abort();
    expect((await left)[0]).to.equal(4_200);
  });

  it('ends with a description of what is wrong with an event', async () => {
    const failure = new Error('It is no session');
    const failing = connect(gateway.url, () => {
      throw failure;
    });
    const ended = failing.ended.catch((error: unknown) => error);
    await until(() => gateway.ops.filter((op) => op === OP.identify).length === 2);
    gateway.tell('READY');
    expect(await ended).to.equal(failure);
  });

  it('waits for the answer while events come before it', async () => {
    await untilIdentified();
    for (let n = 0; n < 4; n += 1) {
      gateway.acknowledge(2);
      gateway.tell('MESSAGE_CREATE');
    }
    gateway.tell('RESUMED');
    await until(() => events.includes('RESUMED'));
    expect(events).to.have.length(5);
    expect(end).to.equal(undefined);
  });

  it('takes no event after one that cannot be read; the session resumes before that one', async () => {
    await untilIdentified();
    gateway.tell('READY');
    gateway.sendText('{"op":0,"t":"MESSAGE_DEL');
    gateway.tell('MESSAGE_CREATE');
    await until(() => end !== undefined);
    expect(events).to.deep.equal(['READY']);
  });

  it('asks for a session, but reads no event, when it is paused before it is open', async () => {
    socket.setPaused(true);
    await untilIdentified();
    gateway.tell('READY');
    await gateway.answerOthers(10);
    expect(events).to.deep.equal([]);
    socket.setPaused(false);
    await until(() => events.length === 1);
    socket.setPaused(true);
    gateway.tell('MESSAGE_CREATE');
    await gateway.answerOthers(10);
    expect(events).to.deep.equal(['READY']);
    socket.setPaused(false);
    await until(() => events.length === 2);
  });

  it('goes on when a pause ends before it is open', async () => {
    socket.setPaused(true);
    socket.setPaused(false);
    await untilIdentified();
    gateway.tell('READY');
    await until(() => events.length === 1);
  });
});
