import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { findGathered, writeAllGathered } from '../../../shared/store/gather.js';
import { idKey, timeKey } from '../../../shared/store/listKeys.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { MessageRecord, SourceMessage, UserRecord } from '../../../shared/store/records.js';
import { same, wins } from './mergeFields.js';
import { SourceConflict } from './applySource.js';
import { raiseRevision } from './threadRevision.js';

/** The parts of a message that readers can see: a later export that says the same changes no revision. */
type MessageContent = Omit<SourceMessage, 'asOf'>;

/**
 * Merges a batch of one thread's messages into the records: of two sources the later wins, whole; what is absent stays.
 * Marks the thread before the first write. Returns whether any message changed.
 */
export async function applyMessages(
  { messages, threads, users }: Pick<Collections, 'messages' | 'threads' | 'users'>,
  threadId: string,
  batch: SourceMessage[],
): Promise<boolean> {
  const latest = latestById(batch);
  const stored = await storedById(messages, [...latest.keys()]);
  const writes: AnyBulkWriteOperation<MessageRecord>[] = [];
  let changed = false;
  for (const told of latest.values()) {
    const before = stored.get(told._id);
    if (before && before.threadId !== threadId) {
      throw new SourceConflict(`Message ${told._id} belongs to thread ${before.threadId}`);
    }
    if (before?.deleted || !isNewer(told, before)) continue;
    changed ||= !before || !same(contentOf(told), contentOf(before));
    writes.push(messageWrite(told));
  }
  if (changed) await raiseRevision(threads, threadId);
  if (writes.length > 0) {
    await writeAllGathered(messages, writes);
    await applyUsers(users, [...latest.values()]);
  }
  return changed;
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

function isNewer(told: SourceMessage, before: SourceMessage | undefined): boolean {
  return wins(before && contentOf(before), before?.asOf, contentOf(told), told.asOf);
}

function contentOf(message: SourceMessage | MessageRecord): MessageContent {
  const { asOf: _asOf, order: _order, deleted: _deleted, ...content } = message as MessageRecord;
  return content;
}

/** A guarded write: a job that lost a race against a later source changes nothing. */
function messageWrite(told: SourceMessage): AnyBulkWriteOperation<MessageRecord> {
  const { _id, ...fields } = told;
  const order = timeKey(told.createdAt) + idKey(_id);
  return {
    updateOne: {
      filter: { _id },
      update: [
        {
          $replaceWith: {
            $cond: [
              { $and: [{ $lte: ['$asOf', told.asOf] }, { $ne: ['$deleted', true] }] },
              { $literal: { _id, ...fields, order } },
              '$$ROOT',
            ],
          },
        },
      ],
      upsert: true,
    },
  };
}

/** Keeps the newest snapshot of everyone who wrote. */
async function applyUsers(users: Collection<UserRecord>, batch: SourceMessage[]): Promise<void> {
  const newest = new Map<string, UserRecord>();
  for (const { author, asOf, counted } of batch) {
    if (!counted) continue;
    const { id, ...snapshot } = author;
    const known = newest.get(id);
    if (!known || wins(known, known.asOf, { _id: id, ...snapshot, asOf }, asOf))
      newest.set(id, { _id: id, ...snapshot, asOf });
  }
  await writeAllGathered(users, [...newest.values()].map(userWrite));
}

function userWrite(user: UserRecord): AnyBulkWriteOperation<UserRecord> {
  const { _id, asOf } = user;
  const later = {
    $or: [
      { $lt: ['$asOf', asOf] },
      { $and: [{ $eq: ['$asOf', asOf] }, { $lt: ['$$ROOT', { $literal: user }] }] },
    ],
  };
  return {
    updateOne: {
      filter: { _id },
      update: [{ $replaceWith: { $cond: [later, { $literal: user }, '$$ROOT'] } }],
      upsert: true,
    },
  };
}
