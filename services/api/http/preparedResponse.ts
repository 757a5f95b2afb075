import { ServerResponse, STATUS_CODES, type IncomingMessage } from 'node:http';
import { namesAndValues } from './headLines.js';

/** How long a connection may be idle between two requests (ms). */
export const KEEP_ALIVE_MS = 30_000;

/** Internal properties of responses, which the types of node:http leave out. Every version of node:http has them. */
interface Unlisted {
  /** The head as text. `end` sends it in front of the body. */
  _header: string | null;
  /** Whether a body follows the head. */
  _hasBody: boolean;
}

const CONNECTION = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1_000}\r\n`;

/**
 * A response whose head can be given as text. Most headers of an answer are the same in all its responses, so their
 * text is made once and cached with the answer. `writeHead` would check and join all headers again for each response.
 */
export class PreparedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /**
   * Sends the whole response. `lines` are its headers, as lines of a head, with the Content-Length. They are not
   * checked. The Date and Connection headers are added. A string as body holds one byte in each character (Latin-1).
   */
  endPrepared(status: number, lines: string, body: string | Buffer): void {
    // A connection that will be closed needs another Connection header, which `writeHead` adds.
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
