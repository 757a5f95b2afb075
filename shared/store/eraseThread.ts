import { MAX_SHORT_TEXT, MAX_TEXT } from '../exportFormat/limits.js';
import { textEraser } from './eraseText.js';
import type { ErasedPeople } from './erasures.js';
import type { ChannelRecord, SourceThread, ThreadRecord } from './records.js';
import { ERASED_ID } from './redacted.js';

type Thread = NonNullable<SourceThread['thread']>;

/**
 * A thread of a source or a record, without a trace of erased people. Returns the same object where there is no trace.
 */
export function eraseThread<T extends Thread | ThreadRecord>(thread: T, erased: ErasedPeople): T {
  if (erased.isEmpty || ('deleted' in thread && thread.deleted)) return thread;
  const clean = eraseFields(thread, erased);
  const isOwner = typeof thread.ownerId === 'string' && erased.has(thread.ownerId);
  return isOwner ? { ...clean, ownerId: ERASED_ID } : clean;
}

const LONG_TEXTS = ['description', 'topic'];
const SHORT_TEXTS = ['title', 'name', 'parentName'];
/**
 * From a title, only ids of erased people are taken here. The messages of its thread tell which names are meant in it,
 * so names are taken out where these messages are at hand.
 */
const TITLE = 'title';

/**
 * Fields of a server, channel or thread, without a trace of erased people in their texts. Returns the same object where
 * there is no trace.
 */
export function eraseFields<T extends object>(fields: T, erased: ErasedPeople): T {
  if (erased.isEmpty) return fields;
  const { text, untold } = textEraser(erased);
  const told = fields as Record<string, unknown> & Pick<ChannelRecord, 'availableTags'>;
  const cleaned = [...LONG_TEXTS, ...SHORT_TEXTS].flatMap((name): [string, unknown][] => {
    const value = told[name];
    if (typeof value !== 'string') return [];
    const most = LONG_TEXTS.includes(name) ? MAX_TEXT : MAX_SHORT_TEXT;
    const clean = name === TITLE ? text(value) : untold(value, most);
    return clean === value ? [] : [[name, clean]];
  });
  const tags = told.availableTags?.map((tag) => ({
    ...tag,
    name: untold(tag.name, MAX_SHORT_TEXT),
  }));
  if (tags?.some(({ name }, n) => name !== told.availableTags![n]!.name)) {
    cleaned.push(['availableTags', tags]);
  }
  return cleaned.length === 0 ? fields : { ...fields, ...Object.fromEntries(cleaned) };
}
