import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createGzip, gzipSync, type Gzip } from 'node:zlib';
import { Binary } from 'mongodb';
import { bodyNames, type BodySubject } from '../../../shared/store/bodyKinds.js';
import type { Collections } from '../../../shared/store/collections.js';
import { bodyOwner, PieceWriter, removeOlderPieces } from '../../../shared/store/pieces.js';
import type { BodyView } from '../../../shared/store/views.js';
import { RENDERER_VERSION } from '../content/renderContent.js';
import { tagOf } from './entityTag.js';
import { replaceNewer } from './replaceNewer.js';

type BodyCollections = Pick<Collections, 'bodies' | 'pieces'>;

/** Text is handed to the compressor once there are this many characters. */
const TEXT_CHARACTERS = 1 << 16;

/**
 * Writes one finished body. Its text is compressed as it comes. What fits one piece stands in the body's own document;
 * what is longer is cut into pieces. Memory stays bounded whatever the body's length.
 */
export class BodyWriter {
  readonly #collections: BodyCollections;
  readonly #id: string;
  readonly #revision: number;
  readonly #hash: Hash = createHash('sha256');
  /** Of a body that comes in several parts: a single part is compressed at once, which costs less than a stream. */
  #gzip: Gzip | null = null;
  #pending = '';
  #length = 0;
  readonly #pieces: PieceWriter;
  /** What the compressor has given and the pieces have not taken yet. */
  #output: Buffer[] = [];

  constructor(collections: BodyCollections, id: string, revision: number) {
    this.#collections = collections;
    this.#id = id;
    this.#revision = revision;
    this.#pieces = new PieceWriter(collections, bodyOwner(id, revision));
  }

  /** Adds text; stores the pieces that are full. */
  async write(text: string): Promise<void> {
    this.#pending += text;
    if (this.#pending.length >= TEXT_CHARACTERS) await this.#compress();
  }

  /** Ends the body and puts it in place of an older one; leaves no piece of it when a newer one is there. */
  async finish(): Promise<void> {
    if (this.#gzip) await this.#endStream(this.#gzip);
    else this.#output.push(gzipSync(this.#takePending()));
    await this.#passOn();
    if (this.#isCut) await this.#pieces.finish();
    await replaceNewer(this.#collections.bodies, [this.#view()], 'revision');
    await removeOlderPieces(this.#collections, this.#id, await this.#newestRevision());
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

  /** Of a body that lost against a newer one, its own pieces are old ones too. */
  async #newestRevision(): Promise<number> {
    if (!this.#isCut) return this.#revision;
    const projection = { revision: 1 };
    const stored = await this.#collections.bodies.findOne({ _id: this.#id }, { projection });
    return stored?.revision ?? this.#revision;
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

/** Stores a whole body at once. */
export async function storeBody(
  collections: BodyCollections,
  id: string,
  revision: number,
  text: string,
): Promise<void> {
  const writer = new BodyWriter(collections, id, revision);
  await writer.write(text);
  await writer.finish();
}

/** Says that a body is gone: a reader gets 404, and an older write cannot bring it back. */
export async function storeGone(
  collections: BodyCollections,
  id: string,
  revision: number,
): Promise<void> {
  const gone: BodyView = {
    _id: id,
    revision,
    renderer: RENDERER_VERSION,
    etag: '',
    length: 0,
    gone: true,
  };
  await replaceNewer(collections.bodies, [gone], 'revision');
  await removeOlderPieces(collections, id, revision);
}

/** The texts of finished bodies by their names; null for one that is gone. */
export type BodyTexts = ReadonlyMap<string, string | null>;

/** All bodies of a thread, server or user, gone. */
export function goneBodies(subject: BodySubject, id: string): BodyTexts {
  return new Map(bodyNames(subject, id).map((name) => [name, null]));
}

/** Stores several whole bodies of one version, and says of those without a text that they are gone. */
export async function storeBodies(
  collections: BodyCollections,
  texts: BodyTexts,
  version: number,
): Promise<void> {
  await Promise.all(
    [...texts].map(([name, text]) =>
      text === null
        ? storeGone(collections, name, version)
        : storeBody(collections, name, version, text),
    ),
  );
}
