import { constants, createDeflate } from 'node:zlib';
import type {
  GatewayHelloData,
  GatewayInvalidSessionData,
  GatewayOpcodes as Op,
} from 'discord-api-types/v10';
import type { WebSocket } from 'ws';

/** What is sent besides events, by its operation. */
interface Signals {
  [Op.Hello]: GatewayHelloData;
  [Op.HeartbeatAck]: null;
  [Op.Reconnect]: null;
  [Op.InvalidSession]: GatewayInvalidSessionData;
}

/** The connection of a client. Everything is sent in order. */
export interface Connection {
  signal<O extends keyof Signals>(op: O, d: Signals[O]): void;
  /** Sends an event that is already serialised. */
  send(text: string): void;
  /** While true, keeps back what is to be sent. */
  freeze(isFrozen: boolean): void;
  close(code: number, reason: string): void;
  cut(): void;
}

/** The bytes that end each message in a compressed stream. */
const SYNC = Buffer.from([0, 0, 0xff, 0xff]);

/** A connection over a socket. With compression, all messages form one zlib stream. */
export function createConnection(socket: WebSocket, isCompressed: boolean): Connection {
  const write = isCompressed ? compressedInto(socket) : (text: string) => socket.send(text);
  let waiting: string[] | null = null;
  const send = (text: string): void => {
    if (waiting) waiting.push(text);
    else write(text);
  };
  return {
    send,

    signal: (op, d) => send(JSON.stringify({ t: null, s: null, op, d })),

    freeze(isFrozen) {
      const kept = waiting ?? [];
      waiting = isFrozen ? kept : null;
      if (!isFrozen) kept.forEach(write);
    },

    close: (code, reason) => socket.close(code, reason),
    cut: () => socket.terminate(),
  };
}

function compressedInto(socket: WebSocket): (text: string) => void {
  const deflate = createDeflate();
  let pieces: Buffer[] = [];
  deflate.on('data', (piece: Buffer) => {
    pieces.push(piece);
    if (!piece.subarray(-4).equals(SYNC)) return;
    socket.send(Buffer.concat(pieces));
    pieces = [];
  });
  socket.on('close', () => deflate.destroy());
  return (text) => {
    deflate.write(text);
    deflate.flush(constants.Z_SYNC_FLUSH);
  };
}
