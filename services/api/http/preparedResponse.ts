import { ServerResponse, STATUS_CODES, type IncomingMessage } from 'node:http';
import { namesAndValues } from './headLines.js';

/** How long a connection may be idle between two requests (ms). */
export const KEEP_ALIVE_MS = 30_000;

/** Properties of responses that the types of node:http leave out. They are as old as node:http. */
interface Unlisted {
  /** The head as text. `end` sends it in front of the body. */
  _header: string | null;
  /** Whether a body follows the head. */
  _hasBody: boolean;
}

const CONNECTION = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1_000}\r\n`;

/**
 * A response whose head can be given as text. Most headers of an answer are the same in all its responses. So their
 * text can be made once and kept. `writeHead` would check and join all headers for each response.
 */
export class PreparedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /**
   * Sends the whole response. `lines` hold its headers, with the Content-Length of the body. They are not checked. The
   * Date and Connection headers are added. A body that is given as text has one character for each byte.
   */
  endPrepared(status: number, lines: string, body: string | Buffer): void {
    // Where the connection will be closed, the head has to say so.
    if (!this.shouldKeepAlive || this.hasHeader('Connection')) {
      this.writeHead(status, namesAndValues(lines)).end(body, 'latin1');
      return;
    }
    const unlisted = this as unknown as Unlisted;
    this.statusCode = status;
    unlisted._header = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}Date: ${dateNow()}\r\n${CONNECTION}\r\n`;
    if (status === 304) unlisted._hasBody = false;
    if (unlisted._hasBody) this.end(body, 'latin1');
    else this.end();
  }
}

let second = 0;
let date = '';

/** The current time in the form of a Date header. */
function dateNow(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) [second, date] = [now, new Date(now * 1_000).toUTCString()];
  return date;
}
