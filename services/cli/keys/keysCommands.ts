import { InvalidArgumentError, Option, type Command } from 'commander';
import { SCOPES, type ApiKey, type Scope } from '../../../shared/contract/auth.js';
import {
  apiKeyId,
  createApiKey,
  findApiKeys,
  presentApiKey,
  revokeApiKey,
} from '../../../shared/store/apiKeys.js';
import { CliError } from '../cliError.js';
import { runCommand, type Result } from '../runCommand.js';
import { runDeed } from '../runDeed.js';
import { safeText } from '../safeText.js';

interface CreateOptions {
  level: Scope;
  name: string;
  expires?: Date;
  json?: boolean;
}

/** `keys create`, `keys list`, `keys revoke` */
export function addKeys(program: Command): void {
  const keys = program.command('keys').description('Make, list and revoke API keys');
  keys
    .command('create')
    .description('Make an API key and print it, this once')
    .addOption(level())
    .requiredOption('--name <name>', 'what the key is for', readName)
    .option(
      '--expires <time>',
      'when it stops working (ISO 8601); never when not given',
      readExpiry,
    )
    .option('--json', 'print the key as JSON')
    .action(createKey);
  keys
    .command('list')
    .description('List API keys, newest first, without their secrets')
    .option('--json', 'print the keys as JSON')
    .action(listKeys);
  keys
    .command('revoke')
    .description('Revoke an API key; it stops working within a second')
    .argument('<id>', 'the id of the key, the part between its underscores', readKeyId)
    .option('--json', 'print the key as JSON')
    .action(revokeKey);
}

function level(): Option {
  return new Option('--level <level>', 'what the key allows')
    .choices([...SCOPES])
    .makeOptionMandatory();
}

async function createKey(options: CreateOptions): Promise<void> {
  const { name, level: chosen, expires: expiresAt = null } = options;
  const params = { name, level: chosen, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) };
  await runDeed(options, { operation: 'createKey', params }, async ({ mongo }) => {
    const made = await createApiKey(mongo.collections, { name, level: chosen, expiresAt });
    const shown = { ...presentApiKey(made.record), key: made.key };
    const note = 'Keep it: it is not shown again. Send it in the header X-API-Key.';
    return { json: shown, lines: [made.key, note], ok: true };
  });
}

async function listKeys(options: { json?: boolean }): Promise<void> {
  await runCommand(options, async ({ mongo }) => {
    const keys = (await findApiKeys(mongo.collections)).map(presentApiKey);
    const lines = keys.length === 0 ? ['No keys'] : keys.map(keyLine);
    return { json: { keys }, lines, ok: true };
  });
}

async function revokeKey(keyId: string, options: { json?: boolean }): Promise<void> {
  const deed = { operation: 'revokeKey', params: { keyId } };
  await runDeed(options, deed, async ({ mongo }): Promise<Result> => {
    const record = await revokeApiKey(mongo.collections, keyId);
    if (!record) throw new CliError(`There is no key with the id ${safeText(keyId)}`);
    const key = presentApiKey(record);
    return { json: key, lines: [`Revoked ${key.id} (${safeText(key.name)})`], ok: true };
  });
}

/** A key in a line: id, level, state, when last used, name. */
function keyLine(key: ApiKey): string {
  const used = key.lastUsedAt ? `used ${key.lastUsedAt}` : 'never used';
  return [key.id, key.level.padEnd(5), stateOf(key), used, safeText(key.name)].join('  ');
}

function stateOf({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt) return 'revoked';
  if (!expiresAt) return 'works';
  return Date.parse(expiresAt) <= Date.now() ? 'expired' : `works until ${expiresAt}`;
}

/** Whoever gives the whole key means its id, and the rest of it must be told nobody. */
function readKeyId(text: string): string {
  return apiKeyId(text) ?? text;
}

function readName(text: string): string {
  const name = text.trim();
  if (name.length >= 1 && name.length <= 100) return name;
  throw new InvalidArgumentError('It must be 1 to 100 characters long.');
}

function readExpiry(text: string): Date {
  const date = new Date(text);
  if (date.getTime() > Date.now()) return date;
  throw new InvalidArgumentError('It must be a time to come, such as 2030-01-01T00:00:00Z.');
}
