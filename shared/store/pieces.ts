import { Binary, type Collection, type Filter } from 'mongodb';
import { batches } from '../platform/batches.js';
import { findGathered, insertGathered, writeAllGathered } from './gather.js';

/**
 * A part of something that does not fit into one document. The owner of pieces is an upload (`upload/<id>`) or one
 * revision of a body (`body/<name>/<revision>`). All numbers in an id have a fixed width, so ids sort as the pieces do.
 * So the pieces of one owner, or of all revisions of a body, are one range of the index of `_id`.
 */
export interface Piece {
  /** `<owner>/<n>`, n from 0. */
  _id: string;
  data: Binary;
  /** Whether this is the owner's last piece. */
  last: boolean;
}

interface Store {
  pieces: Collection<Piece>;
}

/** The most bytes of one piece. Most uploads fit into one, so such a file costs one write and one read. */
export const PIECE_BYTES = 1 << 20;
const NUMBER_DIGITS = 6;
/** The number of digits of the largest integer that JavaScript can count to. */
const REVISION_DIGITS = 16;

/** The owner of an upload's pieces. */
export function uploadOwner(uploadId: string): string {
  return `upload/${uploadId}`;
}

/** The upload that an owner is; undefined for a body. */
export function uploadOf(owner: string): string | undefined {
  return owner.startsWith('upload/') ? owner.slice('upload/'.length) : undefined;
}

/** The owner of the pieces of one revision of a body. */
export function bodyOwner(name: string, revision: number): string {
  return `body/${name}/${String(revision).padStart(REVISION_DIGITS, '0')}`;
}

/** The body and revision that an owner stands for; undefined for an upload. */
export function bodyOf(owner: string): { name: string; revision: number } | undefined {
  const [, name, revision] = /^body\/(.*)\/(\d+)$/.exec(owner) ?? [];
  return name === undefined ? undefined : { name, revision: Number(revision) };
}

/** The id of the n-th piece of an owner, counted from 0. */
export function pieceId(owner: string, n: number): string {
  return `${owner}/${String(n).padStart(NUMBER_DIGITS, '0')}`;
}

/**
 * Cuts bytes into pieces as they come, and stores each full piece. It holds back at most one piece. So it stores
 * nothing of bytes that fit into one piece until `finish`.
 */
export class PieceWriter {
  readonly #store: Store;
  readonly #owner: string;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #stored = 0;

  constructor(store: Store, owner: string) {
    this.#store = store;
    this.#owner = owner;
  }

  /** How many pieces are stored. */
  get stored(): number {
    return this.#stored;
  }

  /** The bytes that are not stored yet. */
  get held(): Buffer {
    return Buffer.concat(this.#held);
  }

  /** Adds bytes; stores the pieces that are full. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes <= PIECE_BYTES) return;
    let rest = this.held;
    for (; rest.length > PIECE_BYTES; rest = rest.subarray(PIECE_BYTES)) {
      await this.#storePiece(rest.subarray(0, PIECE_BYTES), false);
    }
    this.#held = [rest];
    this.#heldBytes = rest.length;
  }

  /** Stores the rest as the last piece. */
  async finish(): Promise<void> {
    await this.#storePiece(this.held, true);
  }

  /** Stores a piece. An existing one is from an earlier try, which may have been cut off. So it is replaced. */
  async #storePiece(bytes: Buffer, last: boolean): Promise<void> {
    const { pieces } = this.#store;
    const piece = { _id: pieceId(this.#owner, this.#stored), data: new Binary(bytes), last };
    if (!(await insertGathered(pieces, piece))) {
      const replaceOne = { filter: { _id: piece._id }, replacement: piece, upsert: true };
      await writeAllGathered(pieces, [{ replaceOne }]);
    }
    this.#stored += 1;
  }
}

/** A piece does not exist, because its owner was removed or replaced, or was never stored whole. */
export class MissingPieceError extends Error {
  override readonly name = 'MissingPieceError';
}

/**
 * Reads the bytes of an owner, one piece at a time, as fast as the caller takes them. `find` reads one piece; by
 * default through the collection's gatherer. Throws MissingPieceError where a piece before the last one does not exist.
 */
export async function* readPieces(
  { pieces }: Store,
  owner: string,
  find: (_id: string) => Promise<Piece | null> = (_id) => findGathered(pieces, _id),
): AsyncGenerator<Buffer> {
  for (let n = 0; ; n += 1) {
    const piece = await find(pieceId(owner, n));
    if (!piece) throw new MissingPieceError(`Piece ${n} of ${owner} is not there`);
    const bytes = piece.data.value();
    yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (piece.last) return;
  }
}

/** Removes all pieces of some owners. Does nothing where there are none. */
export async function removePieces({ pieces }: Store, owners: string[]): Promise<void> {
  await writeAllGathered(
    pieces,
    owners.map((owner) => ({ deleteMany: { filter: between(`${owner}/`, `${owner}0`) } })),
  );
}

/** Removes the pieces of all revisions of a body before this one. */
export async function removeOlderPieces(
  { pieces }: Store,
  name: string,
  revision: number,
): Promise<void> {
  const filter = between(`body/${name}/`, `${bodyOwner(name, revision)}/`);
  await writeAllGathered(pieces, [{ deleteMany: { filter } }]);
}

/** A filter for all pieces of uploads. */
export const UPLOAD_PIECES = between('upload/', 'upload0');

/** An owner, and how many pieces it has. */
export interface Owned {
  owner: string;
  pieces: number;
}

/**
 * Finds owners within a range of names whose pieces nobody needs. Writers that were cut off leave such pieces behind.
 * `named` gets a batch of owners, and returns those that are still needed. Only the index of `_id` is read.
 */
export async function* findOrphans(
  store: Store,
  range: { from: string; before: string },
  named: (owned: Owned[]) => Promise<ReadonlySet<string>>,
): AsyncGenerator<Owned> {
  for await (const owned of batches(ownersIn(store, range))) {
    const needed = await named(owned);
    yield* owned.filter(({ owner }) => !needed.has(owner));
  }
}

async function* ownersIn(
  { pieces }: Store,
  { from, before }: { from: string; before: string },
): AsyncGenerator<Owned> {
  let last: Owned | undefined;
  const ids = pieces
    .find(between(from, before), { projection: { _id: 1 }, batchSize: 5_000 })
    .sort({ _id: 1 });
  for await (const { _id } of ids) {
    const owner = _id.slice(0, _id.lastIndexOf('/'));
    if (last?.owner === owner) {
      last.pieces += 1;
      continue;
    }
    if (last) yield last;
    last = { owner, pieces: 1 };
  }
  if (last) yield last;
}

/** A filter for a range of ids. `0` is the character after `/`, so `x/` to `x0` holds all ids that begin with `x/`. */
function between(from: string, before: string): Filter<Piece> {
  return { _id: { $gte: from, $lt: before } };
}
