import type { ErasedPeople } from '../../../shared/store/erasures.js';
import type { SourceThread, ThreadRecord } from '../../../shared/store/records.js';
import { textEraser } from './eraseText.js';
import { ERASED_ID } from './tombstones.js';

type Thread = NonNullable<SourceThread['thread']>;

/** What a source says of a server, channel and thread, without a trace of erased people. */
export function eraseSource(source: SourceThread, erased: ErasedPeople): SourceThread {
  if (erased.isEmpty) return source;
  const { server, channel, thread } = source;
  return {
    ...source,
    server: eraseFields(server, erased),
    channel: eraseFields(channel, erased),
    thread: thread && eraseThread(thread, erased),
  };
}

/** A thread, told or recorded, without a trace of erased people. The very same object when there is none. */
export function eraseThread<T extends Thread | ThreadRecord>(thread: T, erased: ErasedPeople): T {
  if (erased.isEmpty || ('deleted' in thread && thread.deleted)) return thread;
  const clean = eraseFields(thread, erased);
  const isOwner = typeof thread.ownerId === 'string' && erased.has(thread.ownerId);
  return isOwner ? { ...clean, ownerId: ERASED_ID } : clean;
}

const TEXTS = ['description', 'topic', 'title'];

/**
 * Fields of a server, channel or thread without a trace of erased people in their texts. The very same object when
 * there is none.
 */
export function eraseFields<T extends object>(fields: T, erased: ErasedPeople): T {
  if (erased.isEmpty) return fields;
  const { text } = textEraser(erased);
  const cleaned = TEXTS.flatMap((name): [string, string][] => {
    const value = (fields as Record<string, unknown>)[name];
    return typeof value === 'string' && text(value) !== value ? [[name, text(value)]] : [];
  });
  return cleaned.length === 0 ? fields : { ...fields, ...Object.fromEntries(cleaned) };
}

/** What a source says of a thread, without a title that was taken away: it named somebody erased, or is their words. */
export function withoutRedactedTitle(
  told: Thread,
  stored: Pick<ThreadRecord, 'redactedTitles'> | null,
  erased: ErasedPeople,
): Partial<Thread> & Pick<Thread, '_id' | 'serverId' | 'channelId'> {
  if (!stored?.redactedTitles?.includes(erased.digest(told.title))) return told;
  const { title: _title, ...rest } = told;
  return rest;
}
