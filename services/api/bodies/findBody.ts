import { Readable } from 'node:stream';
import { AppError } from '../../../shared/contract/errors.js';
import { subjectOf, type BodyKind } from '../../../shared/store/bodyKinds.js';
import type { Collections } from '../../../shared/store/collections.js';
import { bodyOwner, pieceId, readPieces, type Piece } from '../../../shared/store/pieces.js';
import type { Answer } from '../answer.js';
import { isId } from '../ids.js';
import { Unavailable } from '../unavailable.js';
import type { ReadBody, StoredBody } from './bodyReader.js';

export interface BodyStore extends Pick<Collections, 'pieces'> {
  readBody: ReadBody;
}

const SUBJECTS = { thread: 'Thread', server: 'Server', user: 'User' } as const;

/** The stored body of one thing. Throws NOT_FOUND where there is none, or where `id` has not the form of an id. */
export async function findBody(store: BodyStore, kind: BodyKind, id: string): Promise<Answer> {
  const answer = isId(id) ? await loadBody(store, `${kind}/${id}`) : undefined;
  if (!answer) throw new AppError('NOT_FOUND', `${SUBJECTS[subjectOf(kind)]} not found`);
  return answer;
}

/** The stored body with a name, such as `thread/ID`; undefined where there is none. Throws UNAVAILABLE. */
export async function loadBody(store: BodyStore, name: string): Promise<Answer | undefined> {
  // Worker A reads the document of a large body. Meanwhile worker B replaces the body, and removes the old pieces. Then
  // A finds no first piece, and reads the document again.
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const view = await store.readBody(name);
    if (!view || view.gone) return undefined;
    const answer = await answerOf(store, view);
    if (answer) return answer;
  }
  throw new Unavailable('The stored answer is being replaced; try again soon', 1);
}

async function answerOf(store: BodyStore, view: StoredBody): Promise<Answer | undefined> {
  const { etag, length } = view;
  if (view.gzip) return { etag, length, gzip: view.gzip };
  const owner = bodyOwner(view._id, view.revision);
  const first = await findPiece(store, pieceId(owner, 0));
  if (!first) return undefined;
  // Several readers may share this answer. Each of them reads the pieces for itself.
  const find = async (_id: string) =>
    _id === first._id ? first : ((await findPiece(store, _id)) ?? replaced());
  return { etag, length, openGzip: () => Readable.from(readPieces(store, owner, find)) };
}

function findPiece({ pieces }: BodyStore, _id: string): Promise<Piece | null> {
  return pieces.findOne({ _id });
}

function replaced(): never {
  throw new Unavailable('The stored answer was replaced while it was sent', 1);
}
