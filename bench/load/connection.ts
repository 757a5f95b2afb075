import { connect, type Socket } from 'node:net';

/** Is told the status of an answer. It is 0 where the connection broke before the whole answer had come. */
export type OnAnswer = (status: number) => void;

const READ_BYTES = 262_144;
const END_OF_HEAD = '\r\n\r\n';
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * A keep-alive connection that sends one request at a time. It reads the answer to its end, and does not look into the
 * body. It costs a fraction of what node:http does, so that the measurement does not measure the client.
 */
export class Connection {
  readonly #address: { host: string; port: number };
  #socket: Socket | undefined;
  #onAnswer: OnAnswer | undefined;
  #status = 0;
  /**
   * How many bytes of the body are still to come. Undefined while the head is read; Infinity where the body comes in
   * chunks.
   */
  #left: number | undefined;
  /** How many bytes of the chunk are still to come, with its line break. */
  #chunkLeft = 0;
  #isLastChunk = false;
  /** The bytes so far of an incomplete head, or of an incomplete line before a chunk. */
  #kept: Buffer = NOTHING;
  /** Whether the server closes the connection after this answer. */
  #closes = false;

  /** `url` gives the scheme, host and port. Only http is possible. */
  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#address = { host: hostname, port: Number(port || 80) };
  }

  /** Connects. Rejects where nothing listens there. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const buffer = Buffer.allocUnsafe(READ_BYTES);
      const callback = (size: number): boolean => {
        this.#read(buffer.subarray(0, size));
        return true;
      };
      const socket = connect({ ...this.#address, noDelay: true, onread: { buffer, callback } });
      socket.once('connect', resolve);
      socket.on('error', reject);
      socket.on('close', () => this.#lose(socket));
      this.#socket = socket;
    });
  }

  /** Sends the bytes of a request. Resolves with the status of the answer, or with 0 where the connection broke. */
  ask(request: Buffer): Promise<number> {
    return new Promise((resolve) => this.send(request, resolve));
  }

  /** Sends the bytes of a request. Where the server has closed the connection meanwhile, it is opened again first. */
  send(request: Buffer, onAnswer: OnAnswer): void {
    this.#onAnswer = onAnswer;
    this.#left = undefined;
    if (this.#socket) this.#socket.write(request);
    else
      this.open().then(
        () => this.#socket?.write(request),
        () => this.#end(0),
      );
  }

  close(): void {
    this.#socket?.destroy();
  }

  #lose(socket: Socket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#kept = NOTHING;
    this.#end(0);
  }

  #end(status: number): void {
    const onAnswer = this.#onAnswer;
    this.#onAnswer = undefined;
    onAnswer?.(status);
  }

  #read(bytes: Buffer): void {
    if (this.#left === undefined) this.#readHead(bytes);
    else this.#readBody(bytes);
  }

  #readHead(bytes: Buffer): void {
    const all = this.#kept.length > 0 ? Buffer.concat([this.#kept, bytes]) : bytes;
    const end = all.indexOf(END_OF_HEAD);
    if (end < 0) {
      this.#kept = Buffer.from(all);
      return;
    }
    const head = all.toString('latin1', 0, end);
    this.#status = Number(head.slice(9, 12));
    this.#left = bodyLength(head, this.#status);
    this.#closes = /\r\nconnection: *close/i.test(head);
    this.#kept = NOTHING;
    this.#chunkLeft = 0;
    this.#isLastChunk = false;
    this.#readBody(all.subarray(end + END_OF_HEAD.length));
  }

  #readBody(bytes: Buffer): void {
    if (this.#left === Infinity) {
      if (!this.#readChunks(bytes)) return;
    } else {
      this.#left! -= bytes.length;
      if (this.#left! > 0) return;
    }
    if (this.#closes) {
      this.#socket?.destroy();
      this.#socket = undefined;
    }
    this.#end(this.#status);
  }

  /** Whether the last chunk, and the lines behind it, have come. */
  #readChunks(bytes: Buffer): boolean {
    let rest = bytes;
    while (rest.length > 0) {
      const skipped = Math.min(this.#chunkLeft, rest.length);
      this.#chunkLeft -= skipped;
      rest = Buffer.concat([this.#kept, rest.subarray(skipped)]);
      const end = rest.indexOf('\r\n');
      this.#kept = end < 0 ? rest : NOTHING;
      if (end < 0) return false;
      const size = Number.parseInt(rest.toString('latin1', 0, end), 16);
      rest = rest.subarray(end + 2);
      if (this.#isLastChunk && end === 0) return true;
      if (size === 0) this.#isLastChunk = true;
      else if (!this.#isLastChunk) this.#chunkLeft = size + 2;
    }
    return false;
  }
}

/** How many bytes the body has that follows a head. Infinity where it comes in chunks. */
function bodyLength(head: string, status: number): number {
  if (status === 304 || status === 204) return 0;
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return Infinity;
  throw new Error(`The answer tells neither its length nor that it comes in chunks:\n${head}`);
}
