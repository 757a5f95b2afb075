import type { AnyBulkWriteOperation, Document } from 'mongodb';
import type { Collections } from '../../../shared/store/collections.js';
import type { ErasureRecord } from '../../../shared/store/erasureRecords.js';
import type { ErasedPeople } from '../../../shared/store/erasures.js';
import type { MessageRecord } from '../../../shared/store/records.js';
import type { Report } from '../report.js';
import { applyErasures } from './applyErasures.js';
import { erasePlaces } from './erasePlaces.js';
import { disownThread, withoutErasedForwards } from './eraseRecords.js';
import { eraseNames, textEraser } from './eraseText.js';
import { markErasing } from './erasingMarks.js';
import { messageTie } from './messageOrder.js';
import { nextRevision, nowMicroseconds, raiseRevisions } from './threadRevision.js';

type Records = Pick<
  Collections,
  'messages' | 'threads' | 'channels' | 'servers' | 'users' | 'erasures' | 'dirty'
>;

/** The work under way; `erasureIds` are marked on each thread before it changes. */
interface Erasing {
  records: Records;
  names: readonly string[];
  erased: ErasedPeople;
  erasureIds: string[];
}

const BATCH = 1_000;

/** What an erasure has changed. */
interface Erased {
  /** Servers whose texts changed. */
  serverIds: string[];
  /** Messages that changed, those that were theirs included. */
  messages: number;
  removedMessages: number;
  profiles: number;
}

/**
 * Takes every trace of somebody out of the records: one reading of all messages, as their id may stand in any text.
 * Each thread is marked before anything of it changes, also with other erasures under way: of those `erased` some may
 * be theirs. Each server is marked before a text of it changes. Resolves with the servers whose texts did, with how many
 * messages changed, how many of these were theirs and are removed, and whether they had a profile.
 */
export async function eraseEverywhere(
  records: Records,
  erasure: ErasureRecord,
  { erased, erasureIds }: Pick<Erasing, 'erased' | 'erasureIds'>,
  report: Report,
): Promise<Erased> {
  const userId = erasure.userId!;
  const names = await knownNames(records, erasure, userId);
  const erasing = { records, names, erased, erasureIds };
  const changed = { messages: 0, removedMessages: 0 };
  let read = 0;
  const cleanOwn: Clean = (batch) => batch.map((message) => applyErasures(message, erased));
  const cleanForwards: Clean = (batch) => withoutErasedForwards(records.messages, batch, erased);
  const total = await records.messages.estimatedDocumentCount();
  for await (const batch of inBatches(records.messages)) {
    await replaceChanged(erasing, batch, cleanOwn, changed);
    report((read += batch.length), total);
  }
  for await (const batch of inBatches(records.messages, { forwarded: { $type: 'object' } })) {
    await replaceChanged(erasing, batch, cleanForwards, changed);
  }
  const serverIds = await erasePlaces(records, erased);
  await eraseThreads(erasing);
  const { deletedCount: profiles } = await records.users.deleteOne({ _id: userId });
  return { ...changed, serverIds, profiles };
}

/** Names they went by, kept with the erasure until it is done: a second run could not find them. */
async function knownNames(
  { messages, users, erasures }: Records,
  { _id, names }: ErasureRecord,
  userId: string,
): Promise<string[]> {
  if (names) return names;
  const user = await users.findOne({ _id: userId });
  const theirs = { 'author.id': userId };
  const found = new Set<string>(user ? [user.username, user.displayName] : []);
  for (const field of ['author.username', 'author.displayName'] as const) {
    for (const name of (await messages.distinct(field, theirs)) as string[]) found.add(name);
  }
  const mentions = messages.aggregate<{ names: string[] }>([
    { $match: { 'mentions.id': userId } },
    { $unwind: '$mentions' },
    { $match: { 'mentions.id': userId } },
    { $group: { _id: ['$mentions.username', '$mentions.displayName'] } },
    { $project: { _id: 0, names: '$_id' } },
  ]);
  for await (const mention of mentions) mention.names.forEach((name) => found.add(name));
  await erasures.updateOne({ _id }, { $set: { names: [...found] } });
  return [...found];
}

/** Every document in order of its id, a batch at a time. */
async function* inBatches(
  messages: Records['messages'],
  filter: Document = {},
): AsyncGenerator<MessageRecord[]> {
  for (let last = ''; ;) {
    const batch = await messages
      .find({ ...filter, _id: { $gt: last } })
      .sort({ _id: 1 })
      .limit(BATCH)
      .toArray();
    if (batch.length === 0) return;
    yield batch;
    last = batch.at(-1)!._id;
  }
}

/** Gives messages without traces, in their order; the very same one where there is none. */
type Clean = (batch: MessageRecord[]) => MessageRecord[] | Promise<MessageRecord[]>;

/** Messages that an erasure has changed, and those among them that it removed. */
type Changed = Pick<Erased, 'messages' | 'removedMessages'>;

/** Stores what differs. What was written since it was read stays, and is read and cleaned again: it may be deleted. */
async function replaceChanged(
  erasing: Erasing,
  batch: MessageRecord[],
  clean: Clean,
  counts: Changed,
): Promise<void> {
  const { messages } = erasing.records;
  for (let before = batch; ;) {
    const cleaned = await clean(before);
    const changed = cleaned.flatMap((now, index) =>
      now === before[index] ? [] : { now, before: before[index]! },
    );
    if (changed.length === 0) return;
    const isRemoved = ({ now }: Cleaned): boolean => now.deleted === true;
    const removed = await writeCleaned(erasing, changed.filter(isRemoved));
    const written =
      removed +
      (await writeCleaned(
        erasing,
        changed.filter((one) => !isRemoved(one)),
      ));
    counts.messages += written;
    counts.removedMessages += removed;
    if (written === changed.length) return;
    before = await messages.find({ _id: { $in: changed.map(({ now }) => now._id) } }).toArray();
  }
}

interface Cleaned {
  now: MessageRecord;
  before: MessageRecord;
}

/** Resolves with how many were still as they had been read. */
async function writeCleaned(
  { records, names, erased, erasureIds }: Erasing,
  changed: Cleaned[],
): Promise<number> {
  if (changed.length === 0) return 0;
  const threadIds = [...new Set(changed.map(({ now }) => now.threadId))];
  await markErasing(records.threads, threadIds, erasureIds);
  await redactTitles(records, threadIds, names, erased);
  const starters = changed.filter(({ now }) => now.deleted && now._id === now.threadId);
  for (const { now } of starters) await disownThread(records.threads, now._id);
  const writes = changed.map(replacement);
  const { matchedCount } = await records.messages.bulkWrite(writes, { ordered: false });
  await raiseRevisions(records.threads, threadIds);
  return matchedCount;
}

/** Replaces what was read and nothing else: a deletion keeps the time, and another source of that time has its own tie. */
function replacement({ now, before }: Cleaned): AnyBulkWriteOperation<MessageRecord> {
  const { _id, ...message } = now;
  const tie = (before.tie ?? null) as string;
  return {
    replaceOne: {
      filter: { _id, asOf: before.asOf, tie, deleted: { $ne: true } },
      // A digest of what was said would outlast it.
      replacement: { ...message, tie: message.deleted ? '' : messageTie(now) },
    },
  };
}

/** Takes their names and ids out of the titles of some threads; what a title was is remembered as a keyed hash. */
async function redactTitles(
  { threads }: Pick<Records, 'threads'>,
  threadIds: string[],
  names: readonly string[],
  erased: ErasedPeople,
): Promise<void> {
  const { text } = textEraser(erased);
  const found = await threads
    .find({ _id: { $in: threadIds }, deleted: { $ne: true } }, { projection: { title: 1 } })
    .toArray();
  for (const { _id, title } of found) {
    const plain = text(title);
    const redacted = eraseNames(plain, names);
    if (redacted === title) continue;
    const hashes = { $ifNull: ['$redactedTitles', []] };
    await threads.updateOne({ _id, title }, [
      {
        $set: {
          title: { $literal: redacted },
          redactedTitles: { $setUnion: [hashes, [erased.digest(plain)]] },
        },
      },
      ...nextRevision(nowMicroseconds()),
    ]);
  }
}

/** Threads that name them, or that they started, though no message of theirs is here. */
async function eraseThreads(erasing: Erasing): Promise<void> {
  const { records, erased, erasureIds } = erasing;
  const { isAbout } = textEraser(erased);
  const fields = { title: 1, ownerId: 1 } as const;
  const alive = records.threads.find({ deleted: { $ne: true } }, { projection: fields });
  for await (const { _id, title, ownerId } of alive) {
    const isOwner = typeof ownerId === 'string' && erased.has(ownerId);
    if (!isOwner && !isAbout(title)) continue;
    await markErasing(records.threads, [_id], erasureIds);
    if (isOwner) await disownThread(records.threads, _id);
    await redactTitles(records, [_id], erasing.names, erased);
  }
}
