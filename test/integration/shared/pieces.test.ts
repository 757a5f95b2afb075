import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Collections } from '../../../shared/store/collections.js';
import {
  bodyOf,
  bodyOwner,
  MissingPieceError,
  PIECE_BYTES,
  pieceId,
  PieceWriter,
  readPieces,
  removeOlderPieces,
  removePieces,
  uploadOf,
  uploadOwner,
} from '../../../shared/store/pieces.js';
import { suiteStores } from '../../support/suiteStores.js';

describe('pieces', () => {
  const stores = suiteStores();
  let store: Pick<Collections, 'pieces'>;
  before(() => {
    store = stores.mongo.collections;
  });
  afterEach(() => store.pieces.deleteMany({}));

  const write = async (owner: string, ...parts: Uint8Array[]) => {
    const writer = new PieceWriter(store, owner);
    for (const part of parts) await writer.write(part);
    await writer.finish();
    return writer.stored;
  };
  const read = async (owner: string) => {
    const parts: Buffer[] = [];
    for await (const part of readPieces(store, owner)) parts.push(part);
    return { bytes: Buffer.concat(parts), sizes: parts.map(({ length }) => length) };
  };
  const owners = async () => {
    const ids = await store.pieces.find({}, { projection: { _id: 1 } }).toArray();
    return [...new Set(ids.map(({ _id }) => _id.slice(0, _id.lastIndexOf('/'))))].sort();
  };

  it('returns what was written, cut at 1 MiB, in whatever chunks it came', async () => {
    const bytes = randomBytes(PIECE_BYTES * 2 + 5);
    const parts = [
      bytes.subarray(0, 7),
      bytes.subarray(7, PIECE_BYTES),
      bytes.subarray(PIECE_BYTES),
    ];
    expect(await write('upload/a', ...parts)).to.equal(3);
    const found = await read('upload/a');
    expect(found.sizes).to.deep.equal([PIECE_BYTES, PIECE_BYTES, 5]);
    expect(found.bytes.equals(bytes)).to.equal(true);
  });

  it('stores bytes that fit into one piece, and an empty upload, in one piece', async () => {
    expect(await write('upload/full', randomBytes(PIECE_BYTES))).to.equal(1);
    expect(await write('upload/empty')).to.equal(1);
    expect((await read('upload/full')).sizes).to.deep.equal([PIECE_BYTES]);
    expect((await read('upload/empty')).bytes).to.have.length(0);
  });

  it('reads more than ten pieces in their order', async () => {
    const bytes = randomBytes(PIECE_BYTES * 12);
    await write('upload/long', bytes);
    expect((await read('upload/long')).bytes.equals(bytes)).to.equal(true);
    const ids = await store.pieces
      .find({}, { projection: { _id: 1 } })
      .sort({ _id: 1 })
      .toArray();
    expect(ids.map(({ _id }) => _id)).to.deep.equal(
      Array.from({ length: 12 }, (_, n) => pieceId('upload/long', n)),
    );
  });

  it('overwrites what an earlier try has left', async () => {
    const cutOff = new PieceWriter(store, 'upload/twice');
    await cutOff.write(randomBytes(PIECE_BYTES * 2));
    const bytes = randomBytes(PIECE_BYTES + 1);
    await write('upload/twice', bytes);
    expect((await read('upload/twice')).bytes.equals(bytes)).to.equal(true);
  });

  it('fails where a piece is missing, and where the last one was never written', async () => {
    const failure = (owner: string) => read(owner).catch((error: unknown) => error);
    expect(await failure('upload/none')).to.be.instanceOf(MissingPieceError);
    const writer = new PieceWriter(store, 'upload/cut');
    await writer.write(randomBytes(PIECE_BYTES * 2));
    expect(await failure('upload/cut')).to.be.instanceOf(MissingPieceError);
    await writer.finish();
    expect((await read('upload/cut')).sizes).to.have.length(2);
  });

  it('removes the pieces of some owners, or of the older revisions of a body', async () => {
    const body = 'thread/1';
    const all = [
      'upload/a',
      'upload/ab',
      ...[7, 80, 900].map((revision) => bodyOwner(body, revision)),
      bodyOwner('thread/10', 7),
    ];
    for (const owner of all) await write(owner, randomBytes(3));
    await removePieces(store, ['upload/a']);
    expect(await owners()).to.have.members(all.slice(1));
    await removeOlderPieces(store, body, 80);
    expect(await owners()).to.have.members(['upload/ab', ...all.slice(3)]);
    await removePieces(store, [bodyOwner(body, 80), 'upload/ab']);
    expect(await owners()).to.have.members(all.slice(4));
  });

  it('parses an owner into its upload or body', () => {
    const body = bodyOwner('thread/1', 1_790_000_000_000_000);
    expect(bodyOf(body)).to.deep.equal({ name: 'thread/1', revision: 1_790_000_000_000_000 });
    expect(bodyOf(uploadOwner('x'))).to.equal(undefined);
    expect(uploadOf(uploadOwner('x'))).to.equal('x');
    expect(uploadOf(body)).to.equal(undefined);
  });
});
