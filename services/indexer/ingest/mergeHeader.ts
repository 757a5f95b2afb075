import { isDeepStrictEqual } from 'node:util';
import { ALL_SERVERS } from '../../../shared/store/bodyKinds.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import type {
  ChannelRecord,
  ServerRecord,
  SourceThread,
  Stamps,
  ThreadRecord,
} from '../../../shared/store/records.js';
import { eraseSource, withoutRedactedTitle } from '../records/eraseSource.js';
import { mergeFields } from '../records/mergeFields.js';
import { ERASED_ID } from '../../../shared/store/redacted.js';
import type { Documents } from '../work/change.js';
import { DeletedPlace, SourceConflict, type Source } from './source.js';

/** What became of a source's server, channel and thread. */
export interface MergedHeader {
  isChannelChanged: boolean;
  /** The thread's own fields changed, or it is new. */
  isThreadChanged: boolean;
  isDeleted: boolean;
}

/**
 * Merges a source's server, channel and thread into their records, and marks the views that show them. This happens
 * with the first batch of messages. Each later batch only checks that none of the three was deleted meanwhile.
 */
export function mergeHeader(
  documents: Documents,
  source: Source,
  erased: ErasedPeople,
  isFirst: boolean,
): MergedHeader {
  const { causes, inferred = {} } = source;
  const told = eraseSource(source.told, erased);
  const { placeAsOf = told.asOf } = source;
  const channel = documents.get('channels', told.channel._id);
  if (documents.get('servers', told.server._id)?.deleted) throw new DeletedPlace('server', told);
  if (channel?.deleted) throw new DeletedPlace('channel', told);
  const thread = told.thread && documents.get('threads', told.thread._id);
  const isDeleted = thread?.deleted === true;
  if (isDeleted || !isFirst) return { isChannelChanged: false, isThreadChanged: false, isDeleted };

  mergeServer(documents, told.server, { asOf: placeAsOf, causes });
  const stamps = { ...stampsOf(told.channel, placeAsOf), ...inferred };
  const mergedChannel = mergeRecord<ChannelRecord>(channel, told.channel, stamps);
  if (mergedChannel.next) documents.put('channels', mergedChannel.next);
  if (mergedChannel.isChanged) {
    documents.mark('server', told.server._id, { causes });
    // Threads may already link to a channel that is new here. So far they show the link without a name. No thread shows
    // an older name of it.
    if (!channel) documents.mark('links', told.channel._id, { causes });
    else if (areOthers(channel, mergedChannel.next, SHOWN_BY_THREADS))
      documents.mark('channel', told.channel._id, { causes });
  }
  const isThreadChanged =
    told.thread !== null &&
    mergeThread(documents, told.thread, { told, stored: thread, erased, causes });
  return { isChannelChanged: mergedChannel.isChanged, isThreadChanged, isDeleted: false };
}

/** Merges what is told of a server into its record, and marks the views that show it. */
export function mergeServer(
  documents: Documents,
  told: SourceThread['server'],
  { asOf, causes }: { asOf: number; causes?: readonly string[] | undefined },
): void {
  const stored = documents.get('servers', told._id);
  const { next, isChanged } = mergeRecord<ServerRecord>(stored, told, stampsOf(told, asOf));
  if (!next) return;
  documents.put('servers', next);
  // Without threads, the server's statistics tell the time of the server's last source.
  documents.mark('server', told._id, { causes });
  if (!isChanged) return;
  documents.mark('server', ALL_SERVERS, { causes });
  // Of a server, profiles show the name alone. Its number of members changes all the time.
  if (stored && areOthers(stored, next, ['name'])) documents.mark('people', told._id, { causes });
}

/** What threads show of their channel. */
const SHOWN_BY_THREADS = ['name', 'availableTags'] as const;

/** Whether any of some fields is another one than before. */
function areOthers<T extends object>(
  before: T,
  now: T | null,
  fields: readonly (keyof T)[],
): boolean {
  return fields.some((field) => !isDeepStrictEqual(before[field], now?.[field]));
}

/** Merges fields into a record; `next` is null where nothing is new, not even a time. */
function mergeRecord<T extends ServerRecord | ChannelRecord>(
  stored: T | null,
  told: Omit<T, 'stamps' | 'deleted'>,
  given: Stamps,
): { next: T | null; isChanged: boolean } {
  const { _id, ...fields } = told as unknown as { _id: string } & Record<string, unknown>;
  refuseMove(stored as Place | null, fields);
  const { _id: _same, stamps, ...storedFields } = stored ?? ({ stamps: {} } as T);
  const merged = mergeFields({ fields: storedFields, stamps }, { fields, stamps: given });
  const next = { _id, ...merged.fields, stamps: merged.stamps } as unknown as T;
  return { next: merged.moved ? next : null, isChanged: merged.changed };
}

/** Returns whether the thread's own fields changed, or it is new. */
function mergeThread(
  documents: Documents,
  thread: NonNullable<SourceThread['thread']>,
  {
    told: { asOf, server },
    stored,
    erased,
    causes,
  }: {
    told: SourceThread;
    stored: ThreadRecord | null;
    erased: ErasedPeople;
    causes: readonly string[] | undefined;
  },
): boolean {
  refuseMove(stored, thread);
  const { _id, ...fields } = withoutOldLock(withoutRedactedTitle(thread, stored, erased));
  const {
    _id: _same,
    stamps = {},
    asOf: storedAsOf = 0,
    ...storedFields
  } = stored ?? ({} as Partial<ThreadRecord>);
  const merged = mergeFields(
    { fields: storedFields, stamps: ownerLast(storedFields, stamps) },
    { fields, stamps: ownerLast(fields, stampsOf(fields, asOf)) },
  );
  if (!merged.moved && asOf <= storedAsOf) return false;
  documents.put('threads', {
    ...({ _id, ...merged.fields } as unknown as ThreadRecord),
    stamps: merged.stamps,
    asOf: Math.max(asOf, storedAsOf),
  });
  // The server's statistics tell the time of the last source.
  if (asOf > storedAsOf) documents.mark('server', server._id, { causes });
  return merged.changed;
}

/**
 * Adds to what a source says of an unlocked thread that the thread has no time of locking. An export tells since when a
 * thread is locked, and the platform does not. Without this, the time of an earlier lock would be shown again when the
 * platform tells that the thread is locked anew.
 */
function withoutOldLock<T extends Pick<Partial<ThreadRecord>, 'locked' | 'lockedAt'>>(told: T): T {
  return told.locked === false ? { ...told, lockedAt: null } : told;
}

/**
 * Stamps in which an erased author of the thread has the time 0. So a source that names no author never replaces an
 * author whom another source names. No source brings the name of an erased author back, since it was taken out of the
 * source before.
 */
function ownerLast({ ownerId }: Pick<Partial<ThreadRecord>, 'ownerId'>, stamps: Stamps): Stamps {
  return ownerId === ERASED_ID ? { ...stamps, ownerId: 0 } : stamps;
}

/**
 * Throws SourceConflict where a source names another server for a channel, or another channel for a thread, than is
 * recorded. These never change, so such a source is forged or broken.
 */
export function refuseMove(stored: Place | null, told: Place): void {
  for (const field of ['serverId', 'channelId'] as const) {
    const [before, now] = [stored?.[field], told[field]];
    if (before !== undefined && now !== undefined && before !== now) {
      throw new SourceConflict(`It says ${field} ${now}, but ${before} is recorded`);
    }
  }
}

interface Place {
  serverId?: string;
  channelId?: string;
}

function stampsOf(record: object, asOf: number): Stamps {
  return Object.fromEntries(Object.keys(record).map((name) => [name, asOf]));
}
