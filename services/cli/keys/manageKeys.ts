import type { ApiKey } from '../../../shared/contract/auth.js';
import type { Scope } from '../../../shared/contract/scopes.js';
import {
  createApiKey,
  findApiKeys,
  presentApiKey,
  revokeApiKey,
} from '../../../shared/store/apiKeys.js';
import { CliError } from '../cliError.js';
import { runCommand, type Result } from '../runCommand.js';
import { runAudited } from '../runAudited.js';
import { safeText } from '../safeText.js';

/** Options of every command about keys. */
export interface KeysOptions {
  json?: boolean;
}

/** Options of `keys create`. */
export interface CreateOptions extends KeysOptions {
  level: Scope;
  name: string;
  expires?: Date;
}

/** Makes a key and prints it. It is never shown again. */
export async function createKey(options: CreateOptions): Promise<void> {
  const { name, level: chosen, expires: expiresAt = null } = options;
  const params = { name, level: chosen, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) };
  await runAudited(options, { operation: 'createKey', params }, async ({ mongo }) => {
    const made = await createApiKey(mongo.collections, { name, level: chosen, expiresAt });
    const shown = { ...presentApiKey(made.record), key: made.key };
    const note = 'Keep it: it is not shown again. Send it in the header X-API-Key.';
    return { json: shown, lines: [made.key, note], ok: true };
  });
}

/** Lists all keys, without secrets. */
export async function listKeys(options: KeysOptions): Promise<void> {
  await runCommand(options, async ({ mongo }) => {
    const keys = (await findApiKeys(mongo.collections)).map(presentApiKey);
    const lines = keys.length === 0 ? ['No keys'] : keys.map(keyLine);
    return { json: { keys }, lines, ok: true };
  });
}

/** Revokes a key. Throws CliError where there is none with this id. */
export async function revokeKey(keyId: string, options: KeysOptions): Promise<void> {
  const entry = { operation: 'revokeKey', params: { keyId } };
  await runAudited(options, entry, async ({ mongo }): Promise<Result> => {
    const record = await revokeApiKey(mongo.collections, keyId);
    if (!record) throw new CliError(`There is no key with the id ${safeText(keyId)}`);
    const key = presentApiKey(record);
    return { json: key, lines: [`Revoked ${key.id} (${key.name})`], ok: true };
  });
}

/** A line about a key: id, level, state, last use and name. */
function keyLine(key: ApiKey): string {
  const used = key.lastUsedAt ? `used ${key.lastUsedAt}` : 'never used';
  return [key.id, key.level.padEnd(5), stateOf(key), used, key.name].join('  ');
}

function stateOf({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt) return 'revoked';
  if (!expiresAt) return 'works';
  return Date.parse(expiresAt) <= Date.now() ? 'expired' : `works until ${expiresAt}`;
}
