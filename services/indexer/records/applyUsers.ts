import type { AnyBulkWriteOperation, Collection } from 'mongodb';
import { findGathered, writeAllGathered } from '../../../shared/store/gather.js';
import type { Collections } from '../../../shared/store/collections.js';
import type { SourceMessage, UserRecord } from '../../../shared/store/records.js';
import { dirtyMember, markDirty } from '../stores/dirtyMarks.js';
import { tieOf } from './mergeFields.js';
import { ERASED_ID } from './tombstones.js';

type Records = Pick<Collections, 'users' | 'contributions' | 'dirty'>;

/** What is shown of a person beside what they wrote. */
const SHOWN = ['username', 'displayName', 'avatar', 'isBot'] as const;

/**
 * Keeps the newest snapshot of everyone who wrote. Who looks different from before is marked for counting on all their
 * servers: that this is to do is noted with the change itself, so that whoever comes next does it if this is cut off.
 */
export async function applyUsers(records: Records, batch: SourceMessage[]): Promise<void> {
  const { users } = records;
  const told = newestOf(batch);
  const stored = await storedUsers(users, told);
  const newer = told.filter((user, index) => {
    const known = stored[index];
    return !known || isLater(user, known);
  });
  await writeAllGathered(users, newer.map(userWrite));
  // Read again: what it was just before the write nobody else knows.
  const now = newer.length > 0 ? await storedUsers(users, told) : stored;
  await markChanged(
    records,
    now.filter((user) => user !== null).filter(({ changed }) => changed),
  );
}

function newestOf(batch: SourceMessage[]): UserRecord[] {
  const newest = new Map<string, UserRecord>();
  for (const { author, asOf, counted } of batch) {
    if (!counted || author.id === ERASED_ID) continue;
    const { id, ...snapshot } = author;
    const known = newest.get(id);
    const user = { _id: id, ...snapshot, asOf };
    if (!known || isLater(user, known)) newest.set(id, user);
  }
  return [...newest.values()];
}

function storedUsers(
  users: Collection<UserRecord>,
  told: UserRecord[],
): Promise<(UserRecord | null)[]> {
  return Promise.all(told.map(({ _id }) => findGathered(users, _id)));
}

async function markChanged(
  { users, contributions, dirty }: Records,
  changed: UserRecord[],
): Promise<void> {
  if (changed.length === 0) return;
  const places = await contributions
    .aggregate<{ _id: { serverId: string; userId: string } }>([
      { $match: { userId: { $in: changed.map(({ _id }) => _id) } } },
      { $group: { _id: { serverId: '$serverId', userId: '$userId' } } },
    ])
    .toArray();
  await markDirty(
    dirty,
    places.map(({ _id }) => dirtyMember(_id.serverId, _id.userId)),
  );
  const done = changed.map(({ _id, asOf, tie }) => ({
    updateOne: {
      filter: { _id, asOf, tie: (tie ?? null) as string },
      update: { $unset: { changed: '' as const } },
    },
  }));
  await writeAllGathered(users, done);
}

function isLater(user: UserRecord, known: UserRecord): boolean {
  return user.asOf === known.asOf ? userTie(user) > userTie(known) : user.asOf > known.asOf;
}

function userTie({ tie: _tie, changed: _changed, ...snapshot }: UserRecord): string {
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
  const isKnown = { $ne: [{ $type: '$asOf' }, 'missing'] };
  const differs = { $or: SHOWN.map((name) => ({ $ne: [`$${name}`, { $literal: user[name] }] })) };
  const changed = { $cond: [{ $and: [isKnown, differs] }, true, '$changed'] };
  const record = { $mergeObjects: [{ $literal: { ...user, tie } }, { changed }] };
  return {
    updateOne: {
      filter: { _id },
      update: [{ $replaceWith: { $cond: [later, record, '$$ROOT'] } }],
      upsert: true,
    },
  };
}
