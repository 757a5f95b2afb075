import { MOST_KEY_YEARS } from '../../../shared/contract/scopes.js';
import {
  type ApiKeyList,
  type CreatedApiKey,
  type NewApiKey,
} from '../../../shared/contract/auth.js';
import { AppError } from '../../../shared/contract/errors.js';
import {
  createApiKey,
  findApiKeys,
  isKeyExpiry,
  presentApiKey,
  revokeApiKey,
} from '../../../shared/store/apiKeys.js';
import type { Collections } from '../../../shared/store/collections.js';
import { jsonAnswer } from '../answer.js';
import type { Handler } from '../http/route.js';

type Store = Pick<Collections, 'apiKeys'>;

/** POST /admin/keys. No other answer ever shows the key. Throws VALIDATION_ERROR. */
export function createKey(store: Store): Handler<unknown, unknown, NewApiKey> {
  return async ({ body: { name, level, expiresAt } }) => {
    const expiry = expiresAt === undefined ? null : readExpiry(expiresAt);
    const { key, record } = await createApiKey(store, { name, level, expiresAt: expiry });
    const created: CreatedApiKey = { ...presentApiKey(record), key };
    return jsonAnswer(created);
  };
}

/** GET /admin/keys. */
export function listKeys(store: Store): Handler<unknown, unknown> {
  return async () => {
    const list: ApiKeyList = { keys: (await findApiKeys(store)).map(presentApiKey) };
    return jsonAnswer(list);
  };
}

/** DELETE /admin/keys/:keyId. Throws NOT_FOUND. */
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
