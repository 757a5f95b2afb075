import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import { findGathered, writeAllGathered, writeGathered } from '../../../shared/store/gather.js';
import type { Collections } from '../../../shared/store/collections.js';
import type {
  Bookkeeping,
  ChannelRecord,
  ServerRecord,
  SourceThread,
  Stamps,
  ThreadRecord,
} from '../../../shared/store/records.js';
import { mergeFields } from './mergeFields.js';
import { nowMicroseconds } from './threadRevision.js';

const DUPLICATE_KEY = 11_000;

/** What merging a source's header came to. */
export interface AppliedSource {
  server: AppliedRecord;
  channel: AppliedRecord;
  thread: AppliedThread | null;
}

/** A server or channel after a merge. While `spread` is below `changes`, what follows from a change is still to do. */
export interface AppliedRecord {
  changed: boolean;
  changes: number;
  spread: number;
}

export interface AppliedThread {
  threadId: string;
  /** The thread's own fields changed, or it is new: it is marked pending. */
  changed: boolean;
  /** The source is newer than what was known, even if it says the same. */
  newer: boolean;
  /** It was deleted here: nothing of the source may be applied. */
  deleted: boolean;
}

/** A source says something that contradicts what is recorded; retrying cannot help. */
export class SourceConflict extends Error {
  override readonly name = 'SourceConflict';
}

/**
 * Merges a source's server, channel and thread into the records. `inferred` gives the stamps of channel fields that the
 * source only implies: below every real time, so that any value that was told wins over them.
 */
export async function applySource(
  { servers, channels, threads }: Pick<Collections, 'servers' | 'channels' | 'threads'>,
  source: SourceThread,
  inferred: Stamps = {},
): Promise<AppliedSource> {
  const server = await mergeRecord(servers, source.server, stampsOf(source.server, source.asOf));
  const channel = await mergeRecord(channels, source.channel, {
    ...stampsOf(source.channel, source.asOf),
    ...inferred,
  });
  const thread =
    source.thread === null ? null : await applyThread(threads, source.thread, source.asOf);
  return { server, channel, thread };
}

/** Notes that what follows from a record's changes, up to `changes`, has been done. */
export async function markSpread<T extends VersionedRecord>(
  collection: Collection<T>,
  _id: string,
  changes: number,
): Promise<void> {
  const update = { $max: { spread: changes } };
  await writeAllGathered(collection, [
    { updateOne: { filter: { _id }, update } } as unknown as AnyBulkWriteOperation<T>,
  ]);
}

type VersionedRecord = ServerRecord | ChannelRecord;

async function mergeRecord<T extends VersionedRecord>(
  collection: Collection<T>,
  told: Omit<T, Bookkeeping>,
  given: Stamps,
): Promise<AppliedRecord> {
  const { _id, ...fields } = told as { _id: string } & Record<string, unknown>;
  for (;;) {
    const stored = await findGathered<T>(collection, _id);
    refuseMove(stored as Place | null, fields);
    const record = (stored ?? { stamps: {}, version: 0, changes: 0, spread: 0 }) as VersionedRecord;
    const { _id: _ignored, stamps, version, changes, spread, ...storedFields } = record;
    const merged = mergeFields({ fields: storedFields, stamps }, { fields, stamps: given });
    if (!merged.moved) return { changed: false, changes, spread };
    const counts = { version: version + 1, changes: changes + (merged.changed ? 1 : 0), spread };
    const next = { ...merged.fields, _id, stamps: merged.stamps, ...counts };
    if (await replaceVersion(collection, next as unknown as T, version)) {
      return { changed: merged.changed, changes: counts.changes, spread };
    }
  }
}

/** Replaces a record if it still has the version that was read (0: is not there yet). */
async function replaceVersion<T extends VersionedRecord>(
  collection: Collection<T>,
  next: T,
  version: number,
): Promise<boolean> {
  if (version > 0) {
    const filter = { _id: next._id, version } as unknown as Filter<T>;
    return (await collection.replaceOne(filter, next)).matchedCount === 1;
  }
  return insertIfAbsent(collection, next);
}

async function insertIfAbsent<T extends { _id: string }>(
  collection: Collection<T>,
  record: T,
): Promise<boolean> {
  const insert = { insertOne: { document: record } } as unknown as AnyBulkWriteOperation<T>;
  const [refused] = await writeGathered(collection, [insert]);
  if (refused && refused.code !== DUPLICATE_KEY) throw new Error(refused.errmsg);
  return refused === undefined;
}

async function applyThread(
  threads: Collection<ThreadRecord>,
  told: NonNullable<SourceThread['thread']>,
  asOf: number,
): Promise<AppliedThread> {
  const { _id, ...fields } = told;
  for (;;) {
    const stored = await findGathered(threads, _id);
    refuseMove(stored, fields);
    if (stored?.deleted) return { threadId: _id, changed: false, newer: false, deleted: true };
    const {
      _id: _ignored,
      stamps = {},
      asOf: storedAsOf = 0,
      revision = 0,
      pending,
      pendingAt,
      ...storedFields
    } = stored ?? ({} as Partial<ThreadRecord>);
    const merged = mergeFields(
      { fields: storedFields, stamps },
      { fields, stamps: stampsOf(told, asOf) },
    );
    if (!merged.moved && asOf <= storedAsOf)
      return { threadId: _id, changed: false, newer: false, deleted: false };
    const next = Math.max(revision + 1, nowMicroseconds());
    const mark = merged.changed
      ? { pending: next, pendingAt: new Date() }
      : pending
        ? { pending, pendingAt }
        : {};
    const record = {
      ...merged.fields,
      _id,
      stamps: merged.stamps,
      asOf: Math.max(asOf, storedAsOf),
      revision: merged.changed ? next : revision,
      ...mark,
    } as ThreadRecord;
    const written = stored
      ? (await threads.replaceOne({ _id, revision }, record)).matchedCount === 1
      : await insertIfAbsent(threads, record);
    if (written)
      return { threadId: _id, changed: merged.changed, newer: asOf > storedAsOf, deleted: false };
  }
}

/** A channel never changes its server, nor a thread its channel: such a source is forged or broken. */
function refuseMove(stored: Place | null, told: Place): void {
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
