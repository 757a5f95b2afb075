import type { ServerResponse } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { Turns } from '../turns.js';
import { Unavailable } from '../unavailable.js';

/**
 * How long a client may read nothing of a streamed response (ms). Its connection is cut after this time at the latest,
 * and after half of it at the earliest.
 */
export const UNREAD_LIMIT_MS = 60_000;

/** The default of `waitMs` (ms). */
const LONGEST_WAIT_MS = 2_000;

/** The most streams that may be open at once. */
export interface StreamLimits {
  inAll: number;
  /** The most for one client. With all of them, a slow client would keep others waiting. */
  ofOne: number;
  /** How long (ms) a stream may wait to be opened. Then it is refused. */
  waitMs?: number;
}

/** Opens a stream for a client, once that is allowed. Rejects with UNAVAILABLE where the wait takes too long. */
export type OpenStream = (client: string, open: () => Readable) => Promise<Readable>;

/** Makes a function that opens streams, and limits how many are open at once. A stream counts until it is closed. */
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
 * Sends a stream as the body of a response whose head is written. Where the stream fails, the connection is cut. Where
 * the client reads nothing for `ms`, it is cut as well (`cutUnread`).
 */
export function sendStream(response: ServerResponse, body: Readable, ms?: number): void {
  cutUnread(response, ms);
  // The client may be gone. From Node 24 on, `pipeline` throws where the response is destroyed.
  if (response.destroyed) body.destroy();
  else pipeline(body, response, () => undefined);
}

/**
 * Cuts the connection of a streamed response when its client has read nothing of it for `ms`, or for as little as half
 * of that. Otherwise, clients that do not read could hold all streams. Where nothing can be sent any more, it destroys
 * the response at once.
 */
export function cutUnread(response: ServerResponse, ms = UNREAD_LIMIT_MS): void {
  const { socket } = response;
  // The client sent malformed bytes after this request. `answerClientErrors` has refused them, and has ended the
  // connection. So this response cannot be sent.
  if (socket?.writable === false) {
    response.destroy();
    return;
  }
  // Node checks the connection at intervals of this length. It cuts the connection where no byte has moved since the
  // check before. So a silence of up to two intervals may pass. The next request on the connection sets the usual limit
  // again.
  response.setTimeout(ms / 2);
  // Bytes that the client sends would count as well. So none are read until the response has ended.
  socket?.pause();
  response.once('close', () => socket?.resume());
}

function tooMany(): Unavailable {
  return new Unavailable('Too many large bodies are being sent; try again soon', 5);
}
