import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError } from '../../../shared/contract/errors.js';
import { Turns } from '../turns.js';

/** A download of which the client takes nothing for so long (ms) is cut. */
export const UNREAD_LIMIT_MS = 30_000;

/** A stream waits so long (ms) for a place before it is refused. */
const LONGEST_WAIT_MS = 2_000;

/** All streams stand in one line. */
const STREAMS = 'streams';

/** Opens a stream. Throws UNAVAILABLE where too many stay open. */
export type OpenStream = (open: () => Readable) => Promise<Readable>;

/** Lets at most so many streams be open at once; the others wait. A stream counts until it is closed. */
export function limitStreams(most: number, waitMs = LONGEST_WAIT_MS): OpenStream {
  const turns = new Turns({ inAll: most, waitMs, refusal: tooMany });
  return (open) =>
    new Promise((resolve, reject) => {
      const hold = async (): Promise<void> => {
        const stream = open();
        const closed = new Promise((close) => stream.once('close', close));
        resolve(stream);
        await closed;
      };
      turns.take(STREAMS, most, hold).catch(reject);
    });
}

/**
 * Cuts the connection of a streamed response when the client takes nothing for so long (ms). Otherwise clients that do
 * not read could hold all streams.
 */
export function cutUnread(response: ServerResponse, ms = UNREAD_LIMIT_MS): void {
  // Node cuts a connection on which no byte moves for so long. The next request sets the usual limit again.
  response.setTimeout(ms);
  // Whatever the client sends would count as well. So it is read only once the response has ended.
  const { socket } = response;
  socket?.pause();
  response.once('close', () => socket?.resume());
}

function tooMany(): AppError {
  return new AppError('UNAVAILABLE', 'Too many large bodies are being sent; try again soon', {
    headers: { 'Retry-After': '5' },
  });
}
