import { InvalidArgumentError, Option, type Command } from 'commander';
import { characterCount } from '../../../shared/contract/characterCount.js';
import { parseTime } from '../../../shared/contract/parseTime.js';
import { MOST_KEY_YEARS, SCOPES } from '../../../shared/contract/scopes.js';
import { apiKeyId, isKeyExpiry } from '../../../shared/store/apiKeys.js';
import type { CreateOptions, KeysOptions } from './manageKeys.js';

/** `keys create`, `keys list`, `keys revoke` */
export function addKeys(program: Command): void {
  const keys = program.command('keys').description('Make, list and revoke API keys');
  keys
    .command('create')
    .description('Make an API key and print it; it is never shown again')
    .addOption(level())
    .requiredOption('--name <name>', 'what the key is for', readName)
    .option(
      '--expires <time>',
      'when it stops working (ISO 8601); never when not given',
      readExpiry,
    )
    .option('--json', 'print the key as JSON')
    .action(async (options: CreateOptions) => (await actions()).createKey(options));
  keys
    .command('list')
    .description('List API keys, newest first, without their secrets')
    .option('--json', 'print the keys as JSON')
    .action(async (options: KeysOptions) => (await actions()).listKeys(options));
  keys
    .command('revoke')
    .description('Revoke an API key; it stops working within a second')
    .argument('<id>', 'the id of the key, the part between its underscores', readKeyId)
    .option('--json', 'print the key as JSON')
    .action(async (id: string, options: KeysOptions) => (await actions()).revokeKey(id, options));
}

function level(): Option {
  return new Option('--level <level>', 'what the key allows')
    .choices([...SCOPES])
    .makeOptionMandatory();
}

const actions = () => import('./manageKeys.js');

/** Reads the id of a key. From a whole key it takes the id. Its secret is never repeated. */
function readKeyId(text: string): string {
  return apiKeyId(text) ?? text;
}

function readName(text: string): string {
  const name = text.trim();
  if (name !== '' && characterCount(name) <= 100) return name;
  throw new InvalidArgumentError('It must be 1 to 100 characters long.');
}

/** Reads a time in the future. */
function readExpiry(text: string): Date {
  const date = new Date(parseTime(text));
  if (isKeyExpiry(date)) return date;
  throw new InvalidArgumentError(
    `It must be a time in the future, at most ${MOST_KEY_YEARS} years from now, such as 2030-01-01T00:00:00Z.`,
  );
}
