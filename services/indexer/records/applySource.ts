import type { AnyBulkWriteOperation, Collection, Filter } from 'mongodb';
import { findGathered, insertGathered, writeAllGathered } from '../../../shared/store/gather.js';
import type { Collections } from '../../../shared/store/collections.js';
import type {
  Bookkeeping,
  ChannelRecord,
  ServerRecord,
  SourceThread,
  Stamps,
  ThreadRecord,
} from '../../../shared/store/records.js';
import { erasedPeople, type ErasedPeople } from '../../../shared/store/erasures.js';
import { disownThread } from './eraseRecords.js';
import { eraseFields, eraseSource, withoutRedactedTitle } from './eraseSource.js';
import { mergeFields } from './mergeFields.js';
import { nowMicroseconds } from './threadRevision.js';
import { tombstoneThread } from './tombstones.js';

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

/** A source tells of a server or channel that was deleted here: nothing of it is taken. */
export class DeletedPlace extends Error {
  override readonly name = 'DeletedPlace';
}

/** A source says something that contradicts what is recorded; retrying cannot help. */
export class SourceConflict extends Error {
  override readonly name = 'SourceConflict';
}

/**
 * Merges a source's server, channel and thread into the records. `inferred` gives the stamps of channel fields that the
 * source only implies: below every real time, so that any value that was told wins over them. Of erased people nothing
 * is taken. Throws DeletedPlace, having removed the thread, where its server or channel was deleted here.
 */
export async function applySource(
  records: SourceRecords,
  source: SourceThread,
  inferred: Stamps = {},
): Promise<AppliedSource> {
  const erased = await erasedPeople(records);
  try {
    const applied = await merge(records, eraseSource(source, erased), inferred, erased);
    await refuseDeletedPlaces(records, source);
    const now = await erasedPeople(records);
    return now.version === erased.version
      ? applied
      : joined(applied, await applySource(records, source, inferred));
  } catch (error) {
    if (error instanceof DeletedPlace && source.thread) {
      await tombstoneThread(records.threads, source.thread._id);
    }
    throw error;
  }
}

type SourceRecords = Pick<
  Collections,
  'servers' | 'channels' | 'threads' | 'erasures' | 'erasureState'
>;

/** What two merges of the same source changed together. */
function joined(first: AppliedSource, second: AppliedSource): AppliedSource {
  if (!first.thread || !second.thread) return second;
  const changed = first.thread.changed || second.thread.changed;
  return { ...second, thread: { ...second.thread, changed, newer: first.thread.newer } };
}

/** A place that was deleted while its thread was written would otherwise keep that thread. */
async function refuseDeletedPlaces(
  { servers, channels }: SourceRecords,
  source: SourceThread,
): Promise<void> {
  const [server, channel] = await Promise.all([
    findGathered(servers, source.server._id),
    findGathered(channels, source.channel._id),
  ]);
  refuseDeleted('server', server);
  refuseDeleted('channel', channel);
}

function refuseDeleted(kind: 'server' | 'channel', stored: { deleted?: boolean } | null): void {
  if (stored?.deleted) throw new DeletedPlace(`The ${kind} was deleted from this archive`);
}

async function merge(
  records: SourceRecords,
  source: SourceThread,
  inferred: Stamps,
  erased: ErasedPeople,
): Promise<AppliedSource> {
  const { servers, channels } = records;
  const ofServer = stampsOf(source.server, source.asOf);
  const server = await mergeRecord(servers, source.server, ofServer, erased);
  const ofChannel = { ...stampsOf(source.channel, source.asOf), ...inferred };
  const channel = await mergeRecord(channels, source.channel, ofChannel, erased);
  const thread =
    source.thread === null ? null : await applyThread(records, source.thread, source.asOf, erased);
  return { server, channel, thread };
}

/** Notes that what follows from a record's changes, up to `changes`, has been done. */
export async function markPropagated<T extends VersionedRecord>(
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
  erased: ErasedPeople,
): Promise<AppliedRecord> {
  const { _id, ...fields } = told as { _id: string } & Record<string, unknown>;
  for (;;) {
    const stored = await findGathered<T>(collection, _id);
    refuseDeleted('serverId' in told ? 'channel' : 'server', stored);
    refuseMove(stored as Place | null, fields);
    const record = (stored ?? { stamps: {}, version: 0, changes: 0, spread: 0 }) as VersionedRecord;
    const { _id: _ignored, stamps, version, changes, spread, ...storedFields } = record;
    const clean = eraseFields(storedFields, erased);
    const merged = mergeFields({ fields: clean, stamps }, { fields, stamps: given });
    const changed = merged.changed || clean !== storedFields;
    if (!merged.moved && !changed) return { changed, changes, spread };
    const counts = { version: version + 1, changes: changes + (changed ? 1 : 0), spread };
    const next = { ...merged.fields, _id, stamps: merged.stamps, ...counts };
    if (await replaceVersion(collection, next as unknown as T, version)) {
      return { changed, changes: counts.changes, spread };
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
  return insertGathered(collection, [next]);
}

async function applyThread(
  records: SourceRecords,
  told: NonNullable<SourceThread['thread']>,
  asOf: number,
  known: ErasedPeople,
): Promise<AppliedThread> {
  const { threads } = records;
  const { _id } = told;
  for (;;) {
    const stored = await findGathered(threads, _id);
    // An erasure that took a title away meanwhile is not known yet, nor is what it took.
    const erased = stored?.redactedTitles ? await erasedPeople(records) : known;
    refuseMove(stored, told);
    if (stored?.deleted) return { threadId: _id, changed: false, newer: false, deleted: true };
    if (stored?.ownerId && erased.has(stored.ownerId)) {
      await disownThread(threads, _id);
      continue;
    }
    const { _id: _same, ...fields } = withoutRedactedTitle(told, stored, erased);
    const {
      _id: _ignored,
      stamps = {},
      asOf: storedAsOf = 0,
      revision = 0,
      version = 0,
      ...storedFields
    } = stored ?? ({} as Partial<ThreadRecord>);
    const clean = eraseFields(storedFields, erased);
    const merged = mergeFields({ fields: clean, stamps }, { fields, stamps: stampsOf(told, asOf) });
    const changed = merged.changed || clean !== storedFields;
    if (!merged.moved && !changed && asOf <= storedAsOf)
      return { threadId: _id, changed: false, newer: false, deleted: false };
    const next = Math.max(revision + 1, nowMicroseconds());
    const values = {
      ...differing(merged.fields, storedFields),
      stamps: merged.stamps,
      asOf: Math.max(asOf, storedAsOf),
      version: version + 1,
      ...(changed && { revision: next, pending: next, pendingAt: new Date() }),
    };
    const written = stored
      ? await updateRead(threads, stored, values)
      : await insertGathered(threads, [{ _id, ...values } as ThreadRecord]);
    if (written) return { threadId: _id, changed, newer: asOf > storedAsOf, deleted: false };
  }
}

/** The fields that are to be written; others may be changed meanwhile: by a build, say. */
function differing(
  fields: Record<string, unknown>,
  stored: Record<string, unknown>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== stored[name]),
  );
}

/** Writes what came of merging if neither the thread nor its stamps have changed since they were read. */
async function updateRead(
  threads: Collection<ThreadRecord>,
  { _id, revision, version }: ThreadRecord,
  $set: Partial<ThreadRecord>,
): Promise<boolean> {
  // Null stands for a version that was never counted.
  const filter = { _id, revision, version: (version ?? null) as number };
  return (await threads.updateOne(filter, { $set })).matchedCount === 1;
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
