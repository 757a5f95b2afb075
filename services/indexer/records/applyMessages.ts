import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { faultPoint } from '../../../shared/platform/faultPoint.js';
import { findGathered, insertGathered, writeAllGathered } from '../../../shared/store/gather.js';
import { idKey, timeKey } from '../../../shared/store/listKeys.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { MessageRecord, SourceMessage, UserRecord } from '../../../shared/store/records.js';
import { erasedPeople, type ErasedPeople } from '../../../shared/store/erasures.js';
import { applyErasures } from './applyErasures.js';
import { disownThread, withoutErasedForwards } from './eraseRecords.js';
import { same, tieOf } from './mergeFields.js';
import { contentOf, isNewer, messageTie } from './messageOrder.js';
import { SourceConflict } from './applySource.js';
import { raiseRevision } from './threadRevision.js';
import { ERASED_ID, silenceThreads } from './tombstones.js';

type Records = Pick<Collections, 'messages' | 'threads' | 'users' | 'erasures' | 'erasureState'>;

/**
 * Merges a batch of one thread's messages into the records: of two sources the later wins, whole; what is absent stays;
 * of erased people nothing is taken. Marks the thread before the first write. A deletion or erasure that comes in
 * between is found afterwards and carried out on this batch too. Returns whether any message changed.
 */
export async function applyMessages(
  records: Records,
  threadId: string,
  batch: SourceMessage[],
): Promise<boolean> {
  for (let changed = false; ;) {
    const erased = await erasedPeople(records);
    const merged = await mergeBatch(records, threadId, batch, erased);
    changed ||= merged.changed;
    if (!merged.written) return changed;
    if (merged.late) continue;
    const [thread, now] = await Promise.all([
      findGathered(records.threads, threadId),
      erasedPeople(records),
    ]);
    if (thread?.deleted) {
      await silenceThreads(records.messages, [threadId]);
      return changed;
    }
    if (now.version === erased.version) return changed;
  }
}

async function mergeBatch(
  records: Records,
  threadId: string,
  batch: SourceMessage[],
  erased: ErasedPeople,
): Promise<{ changed: boolean; written: boolean; late: boolean }> {
  const { messages, threads, users } = records;
  const latest = latestById(batch.map((message) => applyErasures(message, erased)));
  const told = await withoutErasedForwards(messages, [...latest.values()], erased);
  const stored = await storedById(messages, [...latest.keys()]);
  const added: MessageRecord[] = [];
  const replaced: Replacing[] = [];
  let changed = false;
  for (const message of told) {
    const before = stored.get(message._id);
    if (before && before.threadId !== threadId) {
      throw new SourceConflict(`Message ${message._id} belongs to thread ${before.threadId}`);
    }
    if (before?.deleted) continue;
    const clean = before && applyErasures(before, erased);
    const winner = isNewer(message, clean) ? message : clean!;
    if (winner === before) continue;
    changed ||= !before || !same(contentOf(winner), contentOf(before));
    if (before) replaced.push({ winner, before });
    else added.push(toRecord(winner));
  }
  if (changed) await raiseRevision(threads, threadId);
  if (!erased.isEmpty) await forgetErased(records, threadId, batch, erased);
  const written = added.length + replaced.length > 0;
  if (!written) return { changed, written, late: false };
  faultPoint('beforeRecords');
  // People first: when it is cut off in between, it finds messages that are not written, and comes by here again.
  await applyUsers(users, told);
  const late = await writeMessages(messages, added, replaced);
  return { changed, written, late };
}

/** A message, and what is stored of it: older, or the same before an erasure. */
interface Replacing {
  winner: SourceMessage | MessageRecord;
  before: MessageRecord;
}

/** What is kept of authors beside their messages: their snapshots, and who started a thread. */
async function forgetErased(
  { users, threads }: Records,
  threadId: string,
  batch: SourceMessage[],
  erased: ErasedPeople,
): Promise<void> {
  const gone = batch.filter(({ author }) => erased.has(author.id));
  if (gone.length === 0) return;
  await users.deleteMany({ _id: { $in: gone.map(({ author }) => author.id) } });
  if (gone.some(({ _id }) => _id === threadId)) await disownThread(threads, threadId);
}

function latestById(batch: SourceMessage[]): Map<string, SourceMessage> {
  const latest = new Map<string, SourceMessage>();
  for (const message of batch) {
    const other = latest.get(message._id);
    if (!other || isNewer(message, other)) latest.set(message._id, message);
  }
  return latest;
}

async function storedById(
  messages: Collection<MessageRecord>,
  ids: string[],
): Promise<Map<string, MessageRecord>> {
  const found = await Promise.all(ids.map((id) => findGathered(messages, id)));
  return new Map(found.flatMap((message) => (message ? [[message._id, message] as const] : [])));
}

/** Returns whether some of what was not there has come meanwhile. */
async function writeMessages(
  messages: Collection<MessageRecord>,
  added: MessageRecord[],
  replaced: Replacing[],
): Promise<boolean> {
  const wereAbsent = await insertGathered(messages, added);
  await writeAllGathered(messages, replaced.map(messageWrite));
  return !wereAbsent;
}

function toRecord(told: SourceMessage | MessageRecord): MessageRecord {
  return { ...told, order: timeKey(told.createdAt) + idKey(told._id) };
}

/**
 * A guarded write: a job that lost a race against a later source changes nothing, nor against one of the same time that
 * comes after in their order. What has no tie was inserted, and is what was read.
 */
function messageWrite({ winner, before }: Replacing): AnyBulkWriteOperation<MessageRecord> {
  const tie = messageTie(winner);
  const stored = { $ifNull: ['$tie', ''] };
  const wins = isNewer(winner, before)
    ? { $lt: [stored, tie] }
    : { $eq: [stored, before.tie ?? ''] };
  const isFree = {
    $and: [
      { $ne: ['$deleted', true] },
      {
        $or: [{ $lt: ['$asOf', winner.asOf] }, { $and: [{ $eq: ['$asOf', winner.asOf] }, wins] }],
      },
    ],
  };
  const record = { ...toRecord(winner), tie };
  return {
    updateOne: {
      filter: { _id: winner._id },
      update: [{ $replaceWith: { $cond: [isFree, { $literal: record }, '$$ROOT'] } }],
      upsert: true,
    },
  };
}

/** Keeps the newest snapshot of everyone who wrote. */
async function applyUsers(users: Collection<UserRecord>, batch: SourceMessage[]): Promise<void> {
  const newest = new Map<string, UserRecord>();
  for (const { author, asOf, counted } of batch) {
    if (!counted || author.id === ERASED_ID) continue;
    const { id, ...snapshot } = author;
    const known = newest.get(id);
    const user = { _id: id, ...snapshot, asOf };
    if (!known || isLater(user, known)) newest.set(id, user);
  }
  const told = [...newest.values()];
  const stored = await Promise.all(told.map(({ _id }) => findGathered(users, _id)));
  const newer = told.filter((user, index) => {
    const known = stored[index];
    return !known || isLater(user, known);
  });
  await writeAllGathered(users, newer.map(userWrite));
}

function isLater(user: UserRecord, known: UserRecord): boolean {
  return user.asOf === known.asOf ? userTie(user) > userTie(known) : user.asOf > known.asOf;
}

function userTie({ tie: _tie, ...snapshot }: UserRecord): string {
  return tieOf(snapshot);
}

function userWrite(user: UserRecord): AnyBulkWriteOperation<UserRecord> {
  const { _id, asOf } = user;
  const tie = userTie(user);
  const later = {
    $or: [
      { $lt: ['$asOf', asOf] },
      { $and: [{ $eq: ['$asOf', asOf] }, { $lt: [{ $ifNull: ['$tie', ''] }, tie] }] },
    ],
  };
  return {
    updateOne: {
      filter: { _id },
      update: [{ $replaceWith: { $cond: [later, { $literal: { ...user, tie } }, '$$ROOT'] } }],
      upsert: true,
    },
  };
}
