import { createInflate } from 'node:zlib';
import { GatewayDispatchEvents, GatewayOpcodes as Op } from 'discord-api-types/v10';
import { WebSocket } from 'ws';
import { until } from '../../support/apiServer.js';
import type { DiscordDouble } from '../../support/discord/types.js';

/** An event as it was received. */
export interface Received {
  t: string;
  s: number;
  d: Record<string, unknown>;
}

/** A client that does only what a test says. */
export interface GatewayTestClient {
  events: Received[];
  /** What came besides events. */
  signals: { op: number; d: unknown }[];
  /** Null while the connection is open. */
  closeCode: number | null;
  sessionId: string;
  resumeUrl: string;
  send(op: number, d: unknown): void;
  /** Sends any text. */
  sendText(text: string): void;
  /** Identifies and waits for READY. */
  identify(intents: number): Promise<void>;
  resume(sessionId: string, seq: number): void;
  /** Waits for an event with this name. Resolves with the names of all events since the last call. */
  until(name: string): Promise<string[]>;
  /** Closes the connection, with a code or without a handshake. */
  close(code?: number): Promise<void>;
}

export interface ConnectOptions {
  url?: string;
  query?: string;
  isCompressed?: boolean;
}

/** Connects to the gateway of a double, and waits for its first signal, or for the end of the connection. */
export async function connect(
  { gatewayUrl, token }: Pick<DiscordDouble, 'gatewayUrl' | 'token'>,
  { url = gatewayUrl, query = 'v=10&encoding=json', isCompressed = false }: ConnectOptions = {},
): Promise<GatewayTestClient> {
  const compress = isCompressed ? '&compress=zlib-stream' : '';
  const socket = new WebSocket(`${url}/?${query}${compress}`);
  let seen = 0;
  const client: GatewayTestClient = {
    events: [],
    signals: [],
    closeCode: null,
    sessionId: '',
    resumeUrl: '',
    send: (op, d) => socket.send(JSON.stringify({ op, d })),
    sendText: (text) => socket.send(text),
    async identify(intents) {
      this.send(Op.Identify, { token, intents, properties: {} });
      await until(() => this.events.some(({ t }) => t === 'READY') || this.closeCode !== null);
    },
    resume(sessionId, seq) {
      this.send(Op.Resume, { token, session_id: sessionId, seq });
    },
    async until(name) {
      const news = (): string[] => this.events.slice(seen).map(({ t }) => t);
      await until(() => news().includes(name));
      const end = seen + news().indexOf(name) + 1;
      const names = news().slice(0, end - seen);
      seen = end;
      return names;
    },
    async close(code) {
      if (code === undefined) socket.terminate();
      else socket.close(code);
      await until(() => this.closeCode !== null);
    },
  };
  const take = (text: string): void => {
    const { op, t, s, d } = JSON.parse(text) as Received & { op: number };
    if (op !== 0) return void client.signals.push({ op, d });
    client.events.push({ t, s, d });
    if (t !== GatewayDispatchEvents.Ready) return;
    client.sessionId = String(d.session_id);
    client.resumeUrl = String(d.resume_gateway_url);
  };
  const inflated = isCompressed ? inflate(take) : null;
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary && inflated) inflated(data);
    else take(data.toString());
  });
  socket.on('close', (code) => (client.closeCode = code));
  socket.on('error', () => undefined);
  await until(() => client.signals.length > 0 || client.closeCode !== null);
  return client;
}

/** Passes each message of a compressed stream to a function. */
function inflate(take: (text: string) => void): (data: Buffer) => void {
  const stream = createInflate();
  let text = '';
  stream.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
    if (!isJson(text)) return;
    take(text);
    text = '';
  });
  return (data) => stream.write(data);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
