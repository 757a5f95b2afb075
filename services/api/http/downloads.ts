import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { Turns } from '../turns.js';
import { Unavailable } from '../unavailable.js';

/**
 * A connection is cut when the client takes nothing of its download for so long (ms). It may be cut from half of this
 * time on.
 */
export const UNREAD_LIMIT_MS = 60_000;

const LONGEST_WAIT_MS = 2_000;

/** The most streams that may be open at once. */
export interface StreamLimits {
  inAll: number;
  /** The most for one client. A client may read as slowly as it likes, so it must leave some for others. */
  ofOne: number;
  /** How long a stream waits for a place (ms) before it is refused. */
  waitMs?: number;
}

/** Opens a stream for a client. Throws UNAVAILABLE where too many streams stay open. */
export type OpenStream = (client: string, open: () => Readable) => Promise<Readable>;

/** Limits how many streams are open at once. Further ones wait. A stream counts until it is closed. */
export function limitStreams({ inAll, ofOne, waitMs = LONGEST_WAIT_MS }: StreamLimits): OpenStream {
  const turns = new Turns({ inAll, waitMs, refusal: tooMany });
  return (client, open) =>
    new Promise((resolve, reject) => {
      const hold = async (): Promise<void> => {
        const stream = open();
        const closed = new Promise((close) => stream.once('close', close));
        resolve(stream);
        await closed;
      };
      turns.take(client, ofOne, hold).catch(reject);
    });
}

/**
 * Cuts the connection of a streamed response when the client takes nothing of it for `ms`. It may be cut from half of
 * that time on. Otherwise, clients that do not read could hold all streams. Where the connection has ended already, it
 * ends the response at once.
 */
export function cutUnread(response: ServerResponse, ms = UNREAD_LIMIT_MS): void {
  const { socket } = response;
  // The client sent malformed bytes behind this request. They were refused, and that ended the connection. So nothing of
  // this response can be sent.
  if (socket?.writable === false) {
    response.destroy();
    return;
  }
  // Node checks the connection at these intervals, and cuts it where no byte has moved since the last check. So up to
  // twice this time passes. The next request on the connection sets the usual limit again.
  response.setTimeout(ms / 2);
  // Bytes from the client would count as movement, too. So they are read only after the response has ended.
  socket?.pause();
  response.once('close', () => socket?.resume());
}

function tooMany(): Unavailable {
  return new Unavailable('Too many large bodies are being sent; try again soon', 5);
}
