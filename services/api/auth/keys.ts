import { MOST_KEY_YEARS } from '../../../shared/contract/scopes.js';
import {
  type ApiKeyPage,
  type CreatedApiKey,
  type NewApiKey,
} from '../../../shared/contract/auth.js';
import { AppError } from '../../../shared/contract/errors.js';
import type { PageQuery } from '../../../shared/contract/fields.js';
import {
  createApiKey,
  findApiKeys,
  isKeyExpiry,
  presentApiKey,
  revokeApiKey,
  type KeyPlace,
} from '../../../shared/store/apiKeys.js';
import type { Collections } from '../../../shared/store/collections.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';
import type { Cursors, OpenCursors } from '../paging/cursors.js';
import { pageOf } from '../paging/page.js';

type Store = Pick<Collections, 'apiKeys'>;

/** POST /admin/keys: makes an API key. No later answer shows the key itself. Throws VALIDATION_ERROR. */
export function createKey(store: Store): Handler<unknown, unknown, NewApiKey> {
  return async ({ body: { name, level, expiresAt } }) => {
    const expiry = expiresAt === undefined ? null : readExpiry(expiresAt);
    const { key, record } = await createApiKey(store, { name, level, expiresAt: expiry });
    const created: CreatedApiKey = { ...presentApiKey(record), key };
    return jsonAnswer(created);
  };
}

const QUESTION = ['keys'];
/** `createdAt` (ms) and id of a key. An operator may insert a key by hand, with any text as its id. */
const POSITION = /^(-?\d{1,16})-(.+)$/s;

/** GET /admin/keys: a page of the API keys, newest first. Throws VALIDATION_ERROR for a wrong cursor. */
export function listKeys(store: Store, openCursors: OpenCursors): Handler<unknown, PageQuery> {
  return async ({ query: { limit, cursor } }) => {
    const cursors = await openCursors();
    const after = cursor === undefined ? undefined : placeIn(cursors, cursor);
    const found = await findApiKeys(store, { after, limit: limit + 1 });
    const cursorOf = ({ _id, createdAt }: KeyPlace) =>
      cursors.write(QUESTION, `${createdAt.getTime()}-${_id}`);
    const { shown, ...next } = pageOf(found, limit, cursorOf);
    const page: ApiKeyPage = { keys: shown.map(presentApiKey), ...next };
    return jsonAnswer(page);
  };
}

function placeIn(cursors: Cursors, cursor: string): KeyPlace {
  const [, milliseconds, keyId] = cursors.read(QUESTION, cursor, POSITION);
  return { _id: keyId!, createdAt: new Date(Number(milliseconds)) };
}

/** DELETE /admin/keys/:keyId: revokes an API key. Throws NOT_FOUND. */
export function revokeKey(store: Store): Handler<{ keyId: string }, unknown> {
  return async ({ params: { keyId } }) => {
    const record = await revokeApiKey(store, keyId);
    if (!record) throw new AppError('NOT_FOUND', 'Key not found');
    return jsonAnswer(presentApiKey(record));
  };
}

function readExpiry(text: string): Date {
  const date = new Date(text);
  if (isKeyExpiry(date)) return date;
  const message = `expiresAt must be a time in the future, at most ${MOST_KEY_YEARS} years from now`;
  throw new AppError('VALIDATION_ERROR', message, { details: [{ path: 'expiresAt', message }] });
}
