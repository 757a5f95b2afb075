import { ObjectId } from 'mongodb';
import { ERASED_CALLER, type AuditEntry } from './audit.js';
import type { Collections } from './collections.js';
import { erasedPeople, erasureIdOf, type ErasedPeople } from './erasures.js';

type Store = Pick<Collections, 'audit' | 'erasures' | 'state'>;

/** Matches what may be the id of a person. */
const IDS = /\d{17,20}/g;
/**
 * API keys, refresh tokens and service tokens. Some callers send one where an id or a name belongs. Anything may stand
 * before one. So no word boundary is asked for: in JSON, a line break before one ends with the letter n.
 */
const SECRETS = /(?:f[ar]_|eyJ)[\w.-]{16,}/g;
/** How many characters of a text are kept. */
const LONGEST = 200;

/**
 * Stores an audit entry, and returns its id. It stores no secret, and no id of an erased person, neither as the caller
 * nor in the parameters. For an erasure, it stores the keyed hash in place of the person's id. It cuts each text in the
 * parameters to its first 200 characters.
 */
export async function recordAuditEntry(store: Store, entry: AuditEntry): Promise<string> {
  const erased = await erasedPeople(store);
  const params =
    entry.operation === 'eraseUser'
      ? { erasureId: await erasureIdOf(store, String(entry.params['userId'])) }
      : cleaned(erased, entry.params);
  const { kind, id } = entry.caller;
  const caller = { kind, id: erased.has(id) ? ERASED_CALLER : id };
  const at = new Date();
  const _id = idOf(at);
  await store.audit.insertOne({ _id, at, ...entry, params, caller });
  return _id;
}

/**
 * An id that rises with time. In an id by MongoDB, a random number of the process follows the seconds. So within a
 * second, entries of several processes would be out of order. In this id, milliseconds come before that number.
 */
function idOf(at: Date): string {
  const seconds = Math.floor(at.getTime() / 1_000).toString(16);
  const milliseconds = at.getMilliseconds().toString(16).padStart(3, '0');
  return seconds + milliseconds + new ObjectId().toHexString().slice(11);
}

/** Adds to an audit entry how its operation ended. */
export async function endAuditEntry(
  { audit }: Pick<Store, 'audit'>,
  entryId: string,
  ending: Pick<AuditEntry, 'outcome' | 'jobId'>,
): Promise<void> {
  await audit.updateOne({ _id: entryId }, { $set: ending });
}

function cleaned(erased: ErasedPeople, params: AuditEntry['params']): AuditEntry['params'] {
  return cleanTexts(params, (text) =>
    text.replace(IDS, (id) => (erased.has(id) ? ERASED_CALLER : id)).replace(SECRETS, '(secret)'),
  );
}

/**
 * Applies `clean` to all names and values in the parameters of an audit entry, also to what is percent-encoded in them.
 * Then cuts each text. A secret or an id that was cut before would not be recognised.
 */
export function cleanTexts(
  params: AuditEntry['params'],
  clean: (text: string) => string,
): AuditEntry['params'] {
  const cleanText = (text: string): string => {
    const cleanSent = clean(text);
    const cleanPlain = clean(decoded(text));
    // A text stays as it was sent, unless its percent-encoding hides something.
    return decoded(cleanSent) === cleanPlain ? cleanSent : cleanPlain;
  };
  const cleanValue = (value: unknown): unknown => {
    if (typeof value === 'string') return cleanText(value).slice(0, LONGEST);
    if (typeof value === 'number')
      return clean(`${value}`) === `${value}` ? value : clean(`${value}`);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, own]) => [cleanText(name), own]));
  };
  // Not the JSON itself is cleaned: the digits of an escaped sign in it could pass for the beginning of an id.
  return JSON.parse(JSON.stringify(params), (_name, value) =>
    cleanValue(value),
  ) as AuditEntry['params'];
}

/** Decodes percent-encoded ASCII characters, also those that were encoded several times. */
function decoded(text: string): string {
  return text.replace(/%(?:25)*([2-7][\da-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
