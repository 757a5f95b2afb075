import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError } from '../../../shared/contract/errors.js';
import { Turns } from '../turns.js';

/** A download of which the client takes nothing is cut within this time (ms), and not before half of it. */
export const UNREAD_LIMIT_MS = 60_000;

const LONGEST_WAIT_MS = 2_000;

/** How many streams may be open at once. */
export interface StreamLimits {
  inAll: number;
  /** The same for one client. A client may read as slowly as it likes, so it must leave some for others. */
  ofOne: number;
  /** A stream waits so long (ms) for a place before it is refused. */
  waitMs?: number;
}

/** Opens a stream for a client. Throws UNAVAILABLE where too many stay open. */
export type OpenStream = (client: string, open: () => Readable) => Promise<Readable>;

/** Lets at most so many streams be open at once; the others wait. A stream counts until it is closed. */
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
 * Cuts the connection of a streamed response when the client takes nothing: within so long (ms), and not before half of
 * that time. Otherwise clients that do not read could hold all streams.
 */
export function cutUnread(response: ServerResponse, ms = UNREAD_LIMIT_MS): void {
  // Node looks at the connection each time that this time is over. It cuts it where no byte has moved since the look
  // before, so up to twice this time goes by. The next request sets the usual limit again.
  response.setTimeout(ms / 2);
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
