import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { faultPoint } from '../../../shared/platform/faultPoint.js';
import { findGathered, insertGathered, writeAllGathered } from '../../../shared/store/gather.js';
import { idKey, timeKey } from '../../../shared/store/listKeys.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { MessageRecord, SourceMessage } from '../../../shared/store/records.js';
import { erasedPeople, type ErasedPeople } from '../../../shared/store/erasures.js';
import { applyErasures } from './applyErasures.js';
import { disownThread, withoutErasedForwards } from './eraseRecords.js';
import { same } from './mergeFields.js';
import { contentOf, isNewer, messageTie } from './messageOrder.js';
import { SourceConflict } from './applySource.js';
import { applyUsers } from './applyUsers.js';
import { raiseRevision } from './threadRevision.js';
import { redactThreads } from './tombstones.js';

type Records = Pick<
  Collections,
  'messages' | 'threads' | 'users' | 'contributions' | 'dirty' | 'erasures' | 'erasureState'
>;

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
      await redactThreads(records.messages, [threadId]);
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
  const { messages, threads } = records;
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
  await applyUsers(records, told);
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
 * comes after in their order. A message without a `tie` was written by an insert, and has not been replaced since.
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
