import type { Document } from 'mongodb';
import { batches } from '../../shared/platform/batches.js';
import type { Mongo } from '../../shared/platform/clients.js';
import { failedMark, quarantineId } from '../../shared/store/quarantine.js';
import { AT_ONCE, markId, NEVER, type Failure } from '../../shared/store/work.js';
import { setMarks } from './work/claims.js';
import { createCommit } from './work/commit.js';

/** Collections with one or a few documents, which earlier versions had in place of `state`. */
const OLD_STATE = ['counters', 'erasureState', 'secrets', 'searchGenerations'];

/**
 * Collections that only earlier versions read. They hold large bodies, uploads, and notes of work that was still to be
 * done. Deletions and erasures do not change them, so they may hold words of people who were erased.
 */
const UNREAD = ['bodyChunks', 'uploadChunks', 'dirty', 'similarMarks'];

/** The collection in which earlier versions kept the newest snapshot of everybody who ever wrote. */
const OLD_PEOPLE = 'users';

/**
 * The index of forwarded messages of earlier versions. Those versions did not judge again whether such a message may be
 * shown.
 */
const OLD_FORWARDS = 'forwards';

/** Indexes of earlier versions that no query uses any more, by collection. */
const UNUSED = {
  importFiles: ['import_state'],
  sync: ['todo_recent', 'todo_due_recent'],
  threads: ['pending', 'erasing'],
  contributions: ['server_user'],
  members: ['periodDay'],
  work: ['causes', 'kind_tries', 'kind_at'],
  threadItems: ['server_channel'],
} as const;

/**
 * Takes over what earlier versions kept in other collections or under other names. The operator must have stopped the
 * indexers of these versions before. It leaves the old collections of `state` as they are. So an API process of an
 * earlier version goes on until it is replaced, except that it shows no pictures of people. It marks threads with a
 * forwarded message to be built again, because earlier versions did not judge whether that message may be shown. It cuts
 * quotations out of the reasons of rejected files. A quarantined mark that was set again becomes due. Last, this drops
 * the collections that nothing reads any more, and the indexes that no query uses any more.
 */
export async function moveOldCollections(
  mongo: Pick<Mongo, 'client' | 'db' | 'collections'>,
): Promise<void> {
  await copyState(mongo);
  await moveQuarantine(mongo);
  await renameFailures(mongo.collections);
  await judgeForwards(mongo);
  await forgetNames(mongo);
  await cutQuotes(mongo.collections);
  await freeSetAgain(mongo.collections);
  await dropUnused(mongo);
}

async function dropUnused({ db }: Pick<Mongo, 'db'>): Promise<void> {
  for (const name of UNREAD) await db.dropCollection(name);
  for (const [name, unused] of Object.entries(UNUSED)) {
    const collection = db.collection(name);
    for (const index of unused)
      if (await collection.indexExists(index)) await collection.dropIndex(index);
  }
}

/**
 * Forgets names that earlier versions kept for ever. They kept the names of people in the collection `users`, even
 * after everything that these people wrote was deleted. They also kept the names of imported files. Rows that lack what
 * was shown of a person take it from `users` first.
 */
async function forgetNames({ db, collections }: Pick<Mongo, 'db' | 'collections'>): Promise<void> {
  const found = await db.listCollections({ name: OLD_PEOPLE }, { nameOnly: true }).toArray();
  if (found.length === 0) return;
  const { contributions, members, importFiles } = collections;
  const fill = (missing: string, row: Document, into: string): Document[] => [
    { $match: { [missing]: { $exists: false } } },
    { $lookup: { from: OLD_PEOPLE, localField: 'userId', foreignField: '_id', as: 'person' } },
    { $unwind: '$person' },
    { $project: row },
    { $merge: { into, whenNotMatched: 'discard' } },
  ];
  const author = Object.fromEntries(
    ['username', 'displayName', 'avatar', 'isBot'].map((field) => [field, `$person.${field}`]),
  );
  await contributions.aggregate(fill('author', { author }, 'contributions')).toArray();
  await members.aggregate(fill('avatar', { avatar: '$person.avatar' }, 'members')).toArray();
  // A person who is not in `users` was not shown. So rows without a name are removed.
  await contributions.deleteMany({ author: { $exists: false } });
  await members.deleteMany({ avatar: { $exists: false } });
  const taken = { state: { $in: ['imported', 'unchanged'] }, name: { $exists: true } } as const;
  await importFiles.updateMany(taken, { $unset: { name: '' } });
  await db.dropCollection(OLD_PEOPLE);
}

/**
 * Cuts the values that earlier versions quoted out of the reasons of rejected files. Somebody had written such a value,
 * and nothing else would remove it with the rest of what that person wrote. The place in front of it stays.
 */
async function cutQuotes({
  importFiles,
}: Pick<Mongo['collections'], 'importFiles'>): Promise<void> {
  const place = { $arrayElemAt: [{ $split: ['$reason', ' with value '] }, 0] };
  await importFiles.updateMany(
    { state: 'rejected', reason: / fails to match the required pattern: / },
    [{ $set: { reason: { $concat: [place, ' has a wrong form'] } } }],
  );
}

/**
 * Marks the threads with a forwarded message to be built again, once. The old index finds these threads, so that few
 * messages are read.
 */
async function judgeForwards({
  client,
  collections,
}: Pick<Mongo, 'client' | 'collections'>): Promise<void> {
  const { messages } = collections;
  if (!(await messages.indexExists(OLD_FORWARDS))) return;
  const copies = messages.find(
    { 'forwarded.content': { $exists: true }, 'reference.messageId': { $gt: '' } },
    { projection: { threadId: 1 }, hint: OLD_FORWARDS },
  );
  const commit = createCommit(client, collections);
  for await (const batch of batches(copies)) {
    const threadIds = batch.map(({ threadId }) => threadId);
    await setMarks({ commit }, 'thread', threadIds);
  }
  await messages.dropIndex(OLD_FORWARDS);
}

/**
 * Frees the quarantined marks that were set again and not tried since. Earlier versions recognised them by the token
 * with which they had failed.
 */
async function freeSetAgain({ work }: Pick<Mongo['collections'], 'work'>): Promise<void> {
  const failedToken = { $exists: true };
  const isSetAgain = { $and: [{ $eq: ['$due', NEVER] }, { $ne: ['$token', '$failedToken'] }] };
  const due = { $cond: [isSetAgain, AT_ONCE, '$due'] };
  await work.updateMany({ failedToken }, [{ $set: { due } }, { $unset: 'failedToken' }]);
}

async function copyState({ db }: Pick<Mongo, 'db'>): Promise<void> {
  const state = db.collection<{ _id: string }>('state');
  for (const name of OLD_STATE) {
    const old = await db.collection<{ _id: string }>(name).find().toArray();
    for (const { _id, ...rest } of old)
      await state.updateOne({ _id }, { $setOnInsert: rest }, { upsert: true });
  }
}

/** An entry of the old collection `quarantine`. */
type OldEntry = Omit<Failure, 'id'> & { _id: string };

/** Moves the entries of the old collection `quarantine` into the marks. */
async function moveQuarantine({
  db,
  collections: { work },
}: Pick<Mongo, 'db' | 'collections'>): Promise<void> {
  const old = db.collection<OldEntry>('quarantine');
  for await (const entries of batches(old.find())) await work.bulkWrite(entries.map(writeOf));
  await old.drop();
}

function writeOf({ _id: _oldId, ...entry }: OldEntry) {
  const { kind, subject } = entry;
  const failure = { ...entry, id: quarantineId(kind, subject) };
  if (kind === 'document' || kind === 'file') {
    const replacement = failedMark(kind, subject, failure);
    return { replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true } };
  }
  // Where the mark is gone, the work was done meanwhile. Then nothing is updated.
  const _id = kind === 'thread' ? markId(kind, subject) : subject;
  return { updateOne: { filter: { _id }, update: { $set: { failure } } } };
}

/**
 * Replaces slashes in the ids of failures. Earlier versions left them there, and nobody could ask for another try by
 * such an id.
 */
async function renameFailures({ work }: Pick<Mongo['collections'], 'work'>): Promise<void> {
  const id = { $replaceAll: { input: '$failure.id', find: '/', replacement: '-' } };
  await work.updateMany({ 'failure.id': /\// }, [{ $set: { 'failure.id': id } }]);
}
