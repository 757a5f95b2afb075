import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError } from '../../../shared/contract/errors.js';

/** A download of which the client takes nothing for so long (ms) is cut. */
export const UNREAD_LIMIT_MS = 30_000;

/** Opens a stream. Throws UNAVAILABLE while too many are open. */
export type OpenStream = (open: () => Readable) => Readable;

/** Lets at most so many streams be open at once. A stream counts until it is closed. */
export function limitStreams(most: number): OpenStream {
  let count = 0;
  return (open) => {
    if (count >= most) throw tooMany();
    const stream = open();
    count += 1;
    return stream.once('close', () => (count -= 1));
  };
}

/**
 * Cuts the connection of a streamed response when the client takes nothing for so long (ms). Otherwise clients that do
 * not read could hold all streams.
 */
export function cutUnread(response: ServerResponse, ms = UNREAD_LIMIT_MS): void {
  // Node cuts a connection on which no byte moves for so long. The next request sets the usual limit again.
  response.setTimeout(ms);
}

function tooMany(): AppError {
  return new AppError('UNAVAILABLE', 'Too many large bodies are being sent; try again soon', {
    headers: { 'Retry-After': '5' },
  });
}
