import type { Schema } from 'joi';
import { ExportError } from './exportError.js';
import { CHECK, headerSchemas, messageSchema } from './exportSchema.js';
import type { ExportHeader, ExportMessage } from './exportTypes.js';
import { quickCheck, type QuickCheck } from './quickCheck.js';
import { MAX_VALUE_BYTES } from './limits.js';
import { tooLarge, type ExportPart } from './splitExport.js';

type Path = readonly (string | number)[];

const quickChecks = new Map<Schema, QuickCheck>(
  [messageSchema, ...Object.values(headerSchemas)].map((schema) => [schema, quickCheck(schema)]),
);

/** Checks the form and size of a message. Throws ExportError, which names its place in the file. */
export function checkMessage(part: ExportPart): ExportMessage {
  const value = check(messageSchema, part.value, (path) => placeIn(part, path));
  const message = value as ExportMessage;
  if (part.bytes <= MAX_VALUE_BYTES) return message;
  const kept = withIdsOnly(message);
  if (Buffer.byteLength(JSON.stringify(kept)) <= MAX_VALUE_BYTES) return kept;
  throw tooLarge(MAX_VALUE_BYTES, part.offset);
}

/** A message with nothing but the ids of those who reacted. */
function withIdsOnly({ reactions = [], ...message }: ExportMessage): ExportMessage {
  const ids = reactions.map(({ users = [], ...reaction }) => {
    return { ...reaction, users: users.map(({ id }) => ({ id })) };
  });
  return { ...message, reactions: ids };
}

/** Checks a part of the header. Null for a part that is not read. Throws ExportError, which names its place. */
export function checkHeaderPart({ key, value }: ExportPart): Partial<ExportHeader> | null {
  if (!Object.hasOwn(headerSchemas, key)) return null;
  const schema = headerSchemas[key as keyof ExportHeader];
  return { [key]: check(schema, value, (path) => pathText([key, ...path])) };
}

/** Whether a value has the form of a message in a file. */
export function isMessage(value: unknown): boolean {
  return quickChecks.get(messageSchema)!(value) || !messageSchema.validate(value, CHECK).error;
}

/** The place of a value within a message, for an error. */
export function placeIn(part: ExportPart, path: Path): string {
  const id = (part.value as { id?: unknown } | null)?.id;
  const named = typeof id === 'string' && /^\d{1,20}$/.test(id) ? ` (message ${id})` : '';
  return pathText(['messages', part.index ?? 0, ...path]) + named;
}

function check(schema: Schema, value: unknown, place: (path: Path) => string): unknown {
  if (quickChecks.get(schema)?.(value)) return value;
  const { error } = schema.validate(value, CHECK);
  if (!error) return value;
  const detail = error.details[0]!;
  throw new ExportError(detail.message, place(detail.path));
}

/** A path as it would be written in code: `messages[3].attachments[0].url`. */
function pathText(path: Path): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1);
}
