import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createGzip, gzipSync, type Gzip } from 'node:zlib';
import { Binary } from 'mongodb';
import { bodyNames, type BodySubject } from '../../../shared/store/bodyKinds.js';
import type { Collections } from '../../../shared/store/collections.js';
import { bodyOwner, PieceWriter } from '../../../shared/store/pieces.js';
import type { BodyView } from '../../../shared/store/views.js';
import { RENDERER_VERSION } from '../content/renderContent.js';
import { etagOf, tagOf } from './entityTag.js';

type BodyCollections = Pick<Collections, 'bodies' | 'pieces'>;

/** Text is handed to the compressor once there are this many characters. */
const TEXT_CHARACTERS = 1 << 16;

/**
 * Writes one finished body. Its text is compressed as it comes. What fits one piece stands in the body's own document;
 * what is longer is cut into pieces. Memory stays bounded whatever the body's length.
 */
export class BodyWriter {
  readonly #id: string;
  readonly #revision: number;
  readonly #hash: Hash = createHash('sha256');
  /**
   * The stream that compresses a body of TEXT_CHARACTERS or more; null while the body is shorter. A shorter body is
   * compressed by a single call at its end, which costs less than a stream.
   */
  #gzip: Gzip | null = null;
  #pending = '';
  #length = 0;
  readonly #pieces: PieceWriter;
  /** What the compressor has given and the pieces have not taken yet. */
  #output: Buffer[] = [];

  constructor(collections: BodyCollections, id: string, revision: number) {
    this.#id = id;
    this.#revision = revision;
    this.#pieces = new PieceWriter(collections, bodyOwner(id, revision));
  }

  /** Adds text; stores the pieces that are full. */
  async write(text: string): Promise<void> {
    this.#pending += text;
    if (this.#pending.length >= TEXT_CHARACTERS) await this.#compress();
  }

  /**
   * Ends the body, and stores its last pieces. Resolves with the document that the caller has to store in place of the
   * former one.
   */
  async finish(): Promise<BodyView> {
    if (this.#gzip) await this.#endStream(this.#gzip);
    else this.#output.push(gzipSync(this.#takePending()));
    await this.#passOn();
    if (this.#isCut) await this.#pieces.finish();
    return this.#view();
  }

  /** Frees the compressor of a body that will not be finished. */
  abandon(): void {
    this.#gzip?.destroy();
  }

  #takePending(): Buffer {
    const bytes = Buffer.from(this.#pending);
    this.#pending = '';
    this.#length += bytes.length;
    this.#hash.update(bytes);
    return bytes;
  }

  get #isCut(): boolean {
    return this.#pieces.stored > 0;
  }

  #openStream(): Gzip {
    const gzip = createGzip();
    gzip.on('data', (data: Buffer) => {
      this.#output.push(data);
    });
    return gzip;
  }

  async #endStream(gzip: Gzip): Promise<void> {
    const ended = once(gzip, 'end');
    gzip.end(this.#takePending());
    await ended;
  }

  async #compress(): Promise<void> {
    this.#gzip ??= this.#openStream();
    if (!this.#gzip.write(this.#takePending())) await once(this.#gzip, 'drain');
    await this.#passOn();
  }

  async #passOn(): Promise<void> {
    const output = this.#output;
    this.#output = [];
    for (const bytes of output) await this.#pieces.write(bytes);
  }

  #view(): BodyView {
    return {
      _id: this.#id,
      revision: this.#revision,
      renderer: RENDERER_VERSION,
      etag: tagOf(this.#hash),
      length: this.#length,
      ...(this.#isCut ? { chunks: this.#pieces.stored } : { gzip: new Binary(this.#pieces.held) }),
    };
  }
}

/** Makes the document of a whole body. Its text has to be less than 1 MiB when compressed. */
export function encodeBody(id: string, revision: number, text: string): BodyView {
  const bytes = Buffer.from(text);
  return {
    _id: id,
    revision,
    renderer: RENDERER_VERSION,
    etag: etagOf(text),
    length: bytes.length,
    gzip: new Binary(gzipSync(bytes)),
  };
}

/** The texts of finished bodies by their names; null for one that is gone. */
export type BodyTexts = ReadonlyMap<string, string | null>;

/** The names of all bodies of a thread, server or user, each with null: all of them are gone. */
export function goneBodies(subject: BodySubject, id: string): BodyTexts {
  return new Map(bodyNames(subject, id).map((name) => [name, null]));
}

/** Makes the document of a whole body of any length, and stores its pieces before. */
export async function writeBody(
  collections: BodyCollections,
  id: string,
  revision: number,
  text: string,
): Promise<BodyView> {
  const writer = new BodyWriter(collections, id, revision);
  await writer.write(text);
  return writer.finish();
}
