import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createGzip, gzipSync, type Gzip } from 'node:zlib';
import { Binary } from 'mongodb';
import { writeAllGathered } from '../../../shared/store/gather.js';
import { bodyNames, type BodySubject } from '../../../shared/store/bodyKinds.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { BodyView } from '../../../shared/store/views.js';
import { RENDERER_VERSION } from '../content/renderContent.js';
import { tagOf } from './entityTag.js';
import { replaceNewer } from './replaceNewer.js';

type BodyCollections = Pick<Collections, 'bodies' | 'bodyChunks'>;

/** Compressed bytes of one chunk document, and the most that stands in the body's own document. */
const CHUNK_BYTES = 1 << 20;
/** Text is handed to the compressor in pieces of about this many characters. */
const PIECE_CHARACTERS = 1 << 16;

/**
 * Writes one finished body: its text comes in pieces, is compressed as it comes, and is cut into chunk documents
 * once it outgrows one. Memory stays bounded whatever the body's length.
 */
export class BodyWriter {
  readonly #collections: BodyCollections;
  readonly #id: string;
  readonly #revision: number;
  readonly #hash: Hash = createHash('sha256');
  /** Of a body of more than one piece: one piece is compressed at once, which costs less than a stream. */
  #gzip: Gzip | null = null;
  #pending = '';
  #length = 0;
  #output: Buffer[] = [];
  #outputBytes = 0;
  #chunks = 0;

  constructor(collections: BodyCollections, id: string, revision: number) {
    this.#collections = collections;
    this.#id = id;
    this.#revision = revision;
  }

  /** Adds text; stores a chunk when one is full. */
  async write(text: string): Promise<void> {
    this.#pending += text;
    if (this.#pending.length >= PIECE_CHARACTERS) await this.#compress();
  }

  /** Ends the body and puts it in place of an older one; leaves no piece of it when a newer one is there. */
  async finish(): Promise<void> {
    if (this.#gzip) await this.#endStream(this.#gzip);
    else this.#keep(gzipSync(this.#takePending()));
    while (this.#chunks > 0 && this.#outputBytes > 0) await this.#storeChunk();
    await replaceNewer(this.#collections.bodies, [this.#view()], 'revision');
    await removeOldChunks(this.#collections, this.#id, await this.#newestRevision());
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

  #keep(data: Buffer): void {
    this.#output.push(data);
    this.#outputBytes += data.length;
  }

  #openStream(): Gzip {
    const gzip = createGzip();
    gzip.on('data', (data: Buffer) => {
      this.#keep(data);
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
    while (this.#outputBytes > CHUNK_BYTES) await this.#storeChunk();
  }

  async #storeChunk(): Promise<void> {
    const all = Buffer.concat(this.#output);
    const data = new Binary(all.subarray(0, CHUNK_BYTES));
    const rest = all.subarray(CHUNK_BYTES);
    this.#output = [rest];
    this.#outputBytes = rest.length;
    const _id = `${this.#id}/${this.#revision}/${this.#chunks}`;
    this.#chunks += 1;
    const chunk = { body: this.#id, revision: this.#revision, data };
    await this.#collections.bodyChunks.replaceOne({ _id }, chunk, { upsert: true });
  }

  /** Of a body that lost against a newer one, its own pieces are old ones too. */
  async #newestRevision(): Promise<number> {
    if (this.#chunks === 0) return this.#revision;
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
      ...(this.#chunks > 0
        ? { chunks: this.#chunks }
        : { gzip: new Binary(Buffer.concat(this.#output)) }),
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
  await removeOldChunks(collections, id, revision);
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

/** Removes pieces that were written late, by a process that was cut off before it could see that a newer body is there. */
export async function removeOrphanChunks(collections: BodyCollections): Promise<void> {
  const { bodies, bodyChunks } = collections;
  const inPieces: string[] = await bodyChunks.distinct('body');
  const stored = bodies.find({ _id: { $in: inPieces } }, { projection: { revision: 1 } });
  for await (const { _id, revision } of stored) await removeOldChunks(collections, _id, revision);
}

async function removeOldChunks(
  { bodyChunks }: BodyCollections,
  body: string,
  revision: number,
): Promise<void> {
  await writeAllGathered(bodyChunks, [
    { deleteMany: { filter: { body, revision: { $lt: revision } } } },
  ]);
}
