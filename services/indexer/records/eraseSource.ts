import { eraseFields, eraseThread } from '../../../shared/store/eraseThread.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import type { SourceThread, ThreadRecord } from '../../../shared/store/records.js';
import { titleHash } from './redactTitle.js';

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

/**
 * What a source says of a thread. Its title is left out where it was taken away before, because it named an erased
 * person or was written by one.
 */
export function withoutRedactedTitle(
  told: Thread,
  stored: Pick<ThreadRecord, 'redactedTitles'> | null,
  erased: ErasedPeople,
): Partial<Thread> & Pick<Thread, '_id' | 'serverId' | 'channelId'> {
  if (!stored?.redactedTitles?.includes(titleHash(told.title, erased))) return told;
  const { title: _title, ...rest } = told;
  return rest;
}
