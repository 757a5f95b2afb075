import Joi from 'joi';
import { count, listOf, nullableText, oneOf, pageEnd, text, time } from './fields.js';

/** Kinds of things that may be quarantined. */
export const QUARANTINE_KINDS = ['document', 'thread', 'file', 'work'] as const;
export type QuarantineKind = (typeof QUARANTINE_KINDS)[number];

/** Something that could not be stored or built. It is quarantined, so that it holds up nothing else. */
export interface QuarantineEntry {
  id: string;
  kind: QuarantineKind;
  subject: string;
  threadId: string | null;
  reason: string;
  count: number;
  firstAt: string;
  lastAt: string;
}

/** Checks a QuarantineEntry. */
export const quarantineEntrySchema = Joi.object<QuarantineEntry, true>({
  id: text('Id of the entry'),
  kind: oneOf(
    QUARANTINE_KINDS,
    'A search document that the index refused, a thread that could not be built, a file that could not be imported, or something else that could not be counted or shown',
  ),
  subject: text(
    'Id of the document in the search index, of the thread, of the upload, or of what was to be done',
  ),
  threadId: nullableText('The thread it belongs to, where that is known'),
  reason: text('What was said of the failure'),
  count: count('Tries that failed'),
  firstAt: time('When it was quarantined'),
  lastAt: time('When it failed last'),
});

/** Checks the answer of GET /admin/quarantine. */
export const quarantinePageSchema = Joi.object({
  entries: listOf(quarantineEntrySchema, 'By kind, then by id'),
  ...pageEnd(),
});
